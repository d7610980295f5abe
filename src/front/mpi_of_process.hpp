// Finds the MPI that the program would call without the profiler, and its ABI, which determines the flavour.
#pragma once

#include "flavour/services.hpp"
#include "front/families.hpp"
#include "front/objects.hpp"

namespace commprof::front {

// Whether the file's name begins with libmpi, like those of all MPIs and their Fortran libraries.
bool is_named_as_mpi(char const* path);
bool has_name_of_mpi(dl_phdr_info const& object);

// Whether an object is an MPI, or a library of an MPI's Fortran bindings. These have such a name, and define names of
// the profiling interface beside those of MPI. Stand-ins, tools and wrappers may be named so (libmpiseq, libmpiP,
// libmpiwrapper) but lack PMPI names.
bool is_part_of_mpi(DynamicSection const& dynamic, char const* path);

// Whether an object calls functions of the profiling interface, as tools do.
bool calls_pmpi(DynamicSection const& dynamic);

struct MpiOfProcess {
  LoadedObject library;      // the library that defines PMPI_Init; empty if there is none or several
  bool are_several = false;  // the program has loaded several MPIs, all of them outside the global scope
  // Names of the profiling interface lead to a library that converts calls for this MPI, which has another ABI.
  bool is_hidden = false;
};

// The MPI in the global scope, which all objects call; without one there, the only MPI that is loaded.
MpiOfProcess mpi_of_process();

// The definition to which the MPI's own libraries are bound. A library in Fortran can have its own copies
// of MPI's constants. If it loads the MPI outside the global scope, the MPI uses these copies.
void* find_as_mpi_does(char const* symbol);

// Whether the program or one of its libraries is linked with the front. Otherwise it is preloaded.
bool is_linked();

// If a program is linked with the front, all its MPI symbols are defined, and the linker may omit MPI's libraries.
// Opens one that a flavour was built with and that this machine has, preferably the launcher's.
LoadedObject open_omitted_mpi();

// "openmpi-40", "mpich-12", "mpi-abi-1"; "" for an MPI of an unknown family.
class Abi {
 public:
  explicit Abi(LoadedObject const& mpi);
  char const* name() const { return name_; }
  // The value of MPI_ERR_UNSUPPORTED_OPERATION in the family; Open MPI's if the family is unknown.
  int unsupported_operation() const { return unsupported_operation_; }

 private:
  char name_[32] = "";
  int unsupported_operation_ = 52;
};

// Whether this process prints messages for the whole job: it is rank 0 by the launcher's environment, or there is no
// launcher.
bool is_first_of_job();

// Opens a flavour of the profiler and binds it to the MPI of the process: commprof/ABI.so in the directory of the
// front. problem: on failure, the reason, in static memory. Several threads may call it at once.
link_map const* open_flavour(char const* abi, MpiOfProcess const& mpi, Services& services, char const*& problem);

}  // namespace commprof::front
