// What the choice of a flavour tells the rest of the front: see front.cpp.
#pragma once

namespace commprof::front {

// Whether a function is of the MPI whose calls are profiled. Makes the choice if it is not made.
bool is_function_of_mpi(void const* function);

// A handle of that MPI; nullptr if the choice is not made, or is that nothing is profiled.
void* profiled_mpi();

}  // namespace commprof::front
