// The error handlers of the program, observed: whether a call has failed is known even if its result does not say so.
//
// A handler may set the code that it is given to MPI_SUCCESS, which some calls then return, and MPICH 5.0.2 returns
// MPI_SUCCESS whenever a handler of the program has run. Such a call has set none of its results: its status, its
// request or its communicator are what they were before. So the profiler puts a function of its own in front of each
// handler that the program creates. It keeps the error for the wrapper of the call, see Call::error().
#pragma once

namespace commprof::error_handlers {

// The function to give to MPI in place of the program's; the program's own if there are too many.
void* observed(void* handler);

template <class Function>
Function* observed(Function* handler) {
  return reinterpret_cast<Function*>(observed(reinterpret_cast<void*>(handler)));
}

}  // namespace commprof::error_handlers
