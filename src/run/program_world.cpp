#include "run/program_world.hpp"

#include <dlfcn.h>

#include "base/message.hpp"
#include "flavour/flavour.hpp"
#include "mpi/mpi.hpp"

namespace commprof::program_world {

namespace {

// Calls the function as the program does, without counting. given: the MPI's result, for a function outside the global
// scope, where no tool can be, and for one with another ABI.
int ask(char const* function, int given) {
  if (front_services != nullptr && front_services->is_converted()) return given;
  auto const of_program = reinterpret_cast<int (*)(MPI_Comm, int*)>(dlsym(RTLD_DEFAULT, function));
  int value = given;
  return of_program != nullptr && of_program(MPI_COMM_WORLD, &value) == MPI_SUCCESS ? value : given;
}

}  // namespace

bool is_smaller() {
  int size = 0;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  if (ask("MPI_Comm_size", size) == size) return false;
  if (ask("MPI_Comm_rank", 0) == 0)
    say(
        {"a library that defines functions of MPI shows the program a world of its own: it runs without the profiler "
         "(docs/front.md)"});
  return true;
}

bool has_other_rank() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return ask("MPI_Comm_rank", rank) != rank;
}

}  // namespace commprof::program_world
