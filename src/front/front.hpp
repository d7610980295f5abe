// The chosen flavour and MPI, for the other files of the front; see front.cpp.
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

}  // namespace commprof::front
