// The choice of a flavour, for the rest of the front: see front.cpp.
#pragma once

#include "front/loaded_object.hpp"

namespace commprof::front {

// Whether COMMPROF_ENABLE=0 is in the environment: nothing is profiled.
bool is_switched_off();

// Whether an object or what it depends on defines a function, besides the front.
bool finds_behind_front(LoadedObject const& object, char const* name);

// Whether a function belongs to the MPI that is profiled. Makes the choice if it is not made.
bool is_function_of_mpi(void const* function);

// A handle of the MPI that is profiled; nullptr before the choice, or if nothing is profiled.
void* profiled_mpi();

}  // namespace commprof::front
