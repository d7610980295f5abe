// The chosen flavour and MPI, for the other files of the front, and the imports of loaded objects; see front.cpp.
#pragma once

#include <cstddef>

#include "front/objects.hpp"

namespace commprof::front {

// Whether COMMPROF_ENABLE=0 is set, so that nothing is profiled.
bool is_switched_off();

// Whether an object or its dependencies, other than the front, define a function.
bool finds_behind_front(LoadedObject const& object, char const* name);

// Whether a function belongs to the profiled MPI. Makes the choice if necessary.
bool is_function_of_mpi(void const* function);

// What a caller gets in place of the profiled MPI's own definition of an entry point: the entry point or, if that leads
// to another library of the same names, which converts calls for this MPI, the wrapper.
void* instead_of_mpis_own(std::size_t number);

// A handle of the profiled MPI; nullptr before the choice, or if nothing is profiled.
void* profiled_mpi();

// Lets the flavour forget addresses of code if objects have been unloaded since the last call.
void forget_unloaded(LoadCounts now);

// The imports of loaded objects (imports.cpp). When the front is initialised, it clears weak references to functions of
// MPI that no library defines: programs that work with and without MPI test the address of MPI_Init.

// Redirects calls of MPI that would bypass the front, in all objects that were loaded since the last call of this
// function, and clears their weak references to absent functions. Such calls come from objects that search their own
// dependencies first (RTLD_DEEPBIND, with which Julia opens its packages), and from objects loaded before the front, if
// it was loaded late. Without new objects it only compares counts.
//
// Symbol interposition does not reach these objects. But a program that opens an object usually calls dlsym() next. So
// the front's dlsym() calls this. dlopen() is not interposed, because its result depends on its caller.
void redirect_late_objects();

// Finds the functions of MPI that objects of this process import and the flavour does not see: see
// flavour/services.hpp.
void for_each_unknown_import(bool (*is_known)(char const* name), void (*visit)(void* context, char const* name),
                             void* context);

}  // namespace commprof::front
