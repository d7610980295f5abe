#include <cstring>

#include "comm_naming/comm_naming.hpp"
#include "mpi/library_version.hpp"
#include "mpi/quiet_errors.hpp"
#include "run/run.hpp"
#include "wrappers/wrappers.hpp"

namespace commprof {

namespace {

// Open MPI's keys for variables of the environment, one a line. Version 5 has both, writes a warning about the first,
// and does not read the second beside it.
constexpr char environment_key[] = "env", environment_key_5[] = "PMIX_ENVAR";

// The variable for processes that a call on comm spawns; empty unless this process is the root, on an
// intracommunicator. comm may be invalid.
struct Setting {
  char text[MPI_MAX_INFO_VAL] = "";
  Setting(int root, MPI_Comm comm) {
    CommIndex const index = communicators::of_any(comm);
    if (index == CommIndex::unknown) return;
    CommView const view{comm, communicators::registry[index]};
    if (view.rank() != root || view.is_inter()) return;
    char room[Registry::max_name];
    write_parent_setting(run::facts(), communicators::next_name(comm, Letter::spawn, room), text);
  }
};

// A copy of the info with the variable in it; MPI_INFO_NULL if the info is invalid.
MPI_Info copy_with(MPI_Info info, char const* setting) {
  MPI_Info own = MPI_INFO_NULL;
  if (info == MPI_INFO_NULL) {
    PMPI_Info_create(&own);
  } else {
    QuietErrors const quiet;
    if (!quiet || PMPI_Info_dup(info, &own) != MPI_SUCCESS) return MPI_INFO_NULL;
  }
  char value[MPI_MAX_INFO_VAL + 1] = "";
  int length = 0, is_set = 0;
  char const* key = environment_key;
  PMPI_Info_get_valuelen(own, key, &length, &is_set);
  if (is_set == 0 && OpenMpiVersion::of_process().major >= 5) {
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

}  // namespace

// Without memory, or with an invalid info, the call spawns with the program's infos.
void SpawnInfo::prepare(void const* frame, int commands, MPI_Info const* infos, MPI_Fint const* infos_in_fortran,
                        int root, MPI_Comm comm) {
  Setting const setting(root, comm);
  if (setting.text[0] == '\0' || (infos == nullptr && infos_in_fortran == nullptr) || commands <= 0) return;
  auto const count = static_cast<std::size_t>(commands);
  memory_.take(frame, count * (sizeof(MPI_Info) + sizeof(MPI_Fint)));
  if (!memory_) return;
  auto* const own = memory_->as<MPI_Info>();
  for (std::size_t i = 0; i < count; ++i) {
    own[i] = copy_with(infos != nullptr ? infos[i] : PMPI_Info_f2c(infos_in_fortran[i]), setting.text);
    if (own[i] == MPI_INFO_NULL) return free_all(own, i);
  }
  count_ = count;
  for (std::size_t i = 0; i < count; ++i) in_fortran()[i] = PMPI_Info_c2f(own[i]);
}

void SpawnInfo::free_infos() {
  if (has_own()) free_all(memory_->as<MPI_Info>(), count_);
}

}  // namespace commprof
