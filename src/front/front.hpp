// The choice of a flavour, for the rest of the front: see front.cpp.
#pragma once

namespace commprof::front {

// Whether a function belongs to the MPI that is profiled. Makes the choice if it is not made.
bool is_function_of_mpi(void const* function);

// A handle of the MPI that is profiled; nullptr before the choice, or if nothing is profiled.
void* profiled_mpi();

}  // namespace commprof::front
