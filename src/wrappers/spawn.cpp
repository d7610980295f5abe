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

}  // namespace

SpawnInfo::SpawnInfo(int commands, MPI_Info const infos[], int root, MPI_Comm comm) : given_(infos) {
  Setting const setting(root, comm);
  if (setting.text[0] == '\0' || infos == nullptr) return;
  for (int i = 0; i < commands; ++i) add(infos[i], setting.text);
  finish(commands);
}

SpawnInfo::SpawnInfo(int commands, void const* infos, int root, MPI_Comm comm)
    : given_in_fortran_(const_cast<void*>(infos)) {
  Setting const setting(root, comm);
  if (setting.text[0] == '\0') return;
  for (int i = 0; i < commands; ++i) add(PMPI_Info_f2c(static_cast<MPI_Fint const*>(infos)[i]), setting.text);
  finish(commands);
}

void SpawnInfo::add(MPI_Info info, char const* setting) {
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
  if (own_.push_back(own)) own_in_fortran_.push_back(PMPI_Info_c2f(own));
  else PMPI_Info_free(&own);
}

void SpawnInfo::finish(int commands) {
  auto const wanted = static_cast<std::size_t>(commands < 0 ? 0 : commands);
  if (own_.size() == wanted && own_in_fortran_.size() == wanted) return;
  for (MPI_Info& info : own_) PMPI_Info_free(&info);  // no memory for all commands: none gets the key
  own_.clear();
  own_in_fortran_.clear();
}

SpawnInfo::~SpawnInfo() {
  for (MPI_Info& info : own_) PMPI_Info_free(&info);
}

}  // namespace commprof
