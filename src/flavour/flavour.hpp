// What a flavour has of its front: the services, the definitions that its wrappers forward to, and the calls that it
// does not see.
#pragma once

#include <dlfcn.h>

#include "base/memory.hpp"
#include "flavour/services.hpp"

namespace commprof {

// The services of the front that opened this flavour, see services.hpp; nullptr if the profiler is linked into the
// program statically.
inline front::Services* front_services = nullptr;

// Finds a definition in a library, without the front's inspection of dlsym() calls.
inline void* find_in_library(void* library, char const* symbol) {
  return front_services != nullptr ? front_services->find_in(library, symbol) : dlsym(library, symbol);
}

// The definitions to which wrappers forward the program's calls. They are in one section of the flavour, where the
// front finds them and stores the addresses of tools that define functions of MPI behind the profiler.
//
// The profiler's own calls use PMPI_, and bypass tools.
#define COMMPROF_NEXT_SECTION [[gnu::section("commprof_next")]]

// A C function; initially the MPI's. The build's next.hpp declares one for each wrapper: next::MPI_Send. It has the
// layout of front::NextDefinition.
template <class Function>
struct Next {
  char const* symbol;
  Function* function;
  char const* symbol_with_descriptors = nullptr;
  bool has_descriptors = false;
  [[gnu::always_inline]] operator Function*() const { return function; }
};

// Functions of MPI whose calls the profiler does not see: those that only a newer MPI has, those of a library for
// Fortran that the flavour has no wrappers for.
namespace unseen_calls {

// Looks for these functions among those that the program and its libraries import. For rank 0 only. Prints a line with
// their names.
void look(front::Services const& front);

// The functions of a newer MPI, and of a library for Fortran, that were found.
LastingVector<char const*> const& names();

}  // namespace unseen_calls
}  // namespace commprof
