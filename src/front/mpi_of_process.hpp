// Which MPI this process uses: the one that the program would call without the profiler, and its ABI, which says what
// flavour of the profiler is made for it.
#pragma once

#include "front/loaded_object.hpp"

namespace commprof::front {

// A library that defines it is an MPI.
inline constexpr char characteristic_of_mpi[] = "PMPI_Init";

// The libraries of all MPIs are called so, and so are those for Fortran.
bool is_named_as_mpi(char const* path);

struct MpiOfProcess {
  LoadedObject library;      // that defines PMPI_Init; empty: there is none, or it cannot be told which
  bool are_several = false;  // cannot be told: the program loaded several, each out of sight of the others
};

// The one in the scope that all objects share, since calls from anywhere go there. Else the only one that was loaded.
MpiOfProcess mpi_of_process();

// Where the linker has left MPI's libraries out, since all that the program calls of MPI is the front's: opens the one
// that a flavour was built with and that this machine has. Several: that of the launcher.
LoadedObject open_omitted_mpi();

// "openmpi-40", "mpich-12"; "" for an MPI that is of no family known here.
class Abi {
 public:
  explicit Abi(LoadedObject const& mpi);
  char const* name() const { return name_; }
  // The value of MPI_ERR_UNSUPPORTED_OPERATION in the family; that of Open MPI where it is not known.
  int unsupported_operation() const { return unsupported_operation_; }

 private:
  char name_[32] = "";
  int unsupported_operation_ = 52;
};

// Whether this process is the first of its job, as far as the launcher's environment tells: one that may say something
// for all.
bool is_first_of_job();

}  // namespace commprof::front
