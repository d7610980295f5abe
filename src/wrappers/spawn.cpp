#include "wrappers/spawn.hpp"

#include <cstdlib>
#include <cstring>

#include "comm_naming/comm_naming.hpp"
#include "run/run.hpp"

namespace commprof {

namespace {

// Open MPI's keys for variables of the environment, one a line. Version 5 has both, writes a warning about the first,
// and does not read the second beside it.
constexpr char environment_key[] = "env", environment_key_5[] = "PMIX_ENVAR";

#ifdef OPEN_MPI
bool has_key_of_5() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  PMPI_Get_library_version(text, &length);
  constexpr char before_number[] = "Open MPI v";
  constexpr std::size_t start = sizeof before_number - 1;
  return std::strncmp(text, before_number, start) == 0 && std::atoi(text + start) >= 5;
}
#else
bool has_key_of_5() { return false; }
#endif

// The variable for processes that a call on comm spawns; empty unless this process is the root, on an
// intracommunicator.
struct Setting {
  char text[MPI_MAX_INFO_VAL] = "";
  Setting(int root, MPI_Comm comm) {
    int rank = -1, is_inter = 0;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_test_inter(comm, &is_inter);
    if (rank != root || is_inter != 0) return;
    char room[Registry::max_name];
    write_parent_setting(run::facts(), communicators::next_name(comm, Letter::spawn, room), text);
  }
};

// A copy of the info with the variable in it.
MPI_Info copy_with(MPI_Info info, char const* setting) {
  MPI_Info own = MPI_INFO_NULL;
  if (info == MPI_INFO_NULL) PMPI_Info_create(&own);
  else PMPI_Info_dup(info, &own);
  char value[MPI_MAX_INFO_VAL + 1] = "";
  int length = 0, is_set = 0;
  char const* key = environment_key;
  PMPI_Info_get_valuelen(own, key, &length, &is_set);
  if (is_set == 0 && has_key_of_5()) {
    key = environment_key_5;
    PMPI_Info_get_valuelen(own, key, &length, &is_set);
  }
  std::size_t const used = is_set != 0 ? static_cast<std::size_t>(length) + 1 : 0;
  if (used + std::strlen(setting) < MPI_MAX_INFO_VAL) {
    if (is_set != 0) {
      PMPI_Info_get(own, key, MPI_MAX_INFO_VAL - 1, value, &is_set);
      value[used - 1] = '\n';
    }
    std::strcpy(value + used, setting);
    PMPI_Info_set(own, key, value);
  }
  return own;
}

void free_all(MPI_Info* infos, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) PMPI_Info_free(&infos[i]);
}

// For a call that was left.
void settle(CallMemory& left) { free_all(left.as<MPI_Info>(), left.count); }

}  // namespace

// Without memory, the call spawns with the program's infos.
void SpawnInfo::prepare(void const* frame, int commands, MPI_Info const* infos, MPI_Fint const* infos_in_fortran,
                        int root, MPI_Comm comm) {
  Setting const setting(root, comm);
  if (setting.text[0] == '\0' || (infos == nullptr && infos_in_fortran == nullptr) || commands <= 0) return;
  auto const count = static_cast<std::size_t>(commands);
  memory_.take(frame, count * (sizeof(MPI_Info) + sizeof(MPI_Fint)), settle);
  if (!memory_) return;
  auto* const own = memory_->as<MPI_Info>();
  for (std::size_t i = 0; i < count; ++i)
    own[i] = copy_with(infos != nullptr ? infos[i] : PMPI_Info_f2c(infos_in_fortran[i]), setting.text);
  memory_->count = count;
  for (std::size_t i = 0; i < count; ++i) in_fortran(*memory_)[i] = PMPI_Info_c2f(own[i]);
}

void SpawnInfo::free_infos() {
  if (has_own()) free_all(memory_->as<MPI_Info>(), memory_->count);
}

}  // namespace commprof
