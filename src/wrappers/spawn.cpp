#include "wrappers/spawn.hpp"

#include <cstring>

#include "comm_naming/comm_naming.hpp"
#include "run/run.hpp"

namespace commprof {

namespace {

// Open MPI's key for variables of the environment, one a line.
constexpr char environment_key[] = "env";

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
  PMPI_Info_get_valuelen(own, environment_key, &length, &is_set);
  std::size_t const used = is_set != 0 ? static_cast<std::size_t>(length) + 1 : 0;
  if (used + std::strlen(setting) < MPI_MAX_INFO_VAL) {
    if (is_set != 0) {
      PMPI_Info_get(own, environment_key, MPI_MAX_INFO_VAL - 1, value, &is_set);
      value[used - 1] = '\n';
    }
    std::strcpy(value + used, setting);
    PMPI_Info_set(own, environment_key, value);
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
