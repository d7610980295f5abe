// Observes the program's error handlers, so that a failed call is recognised even if its result is MPI_SUCCESS.
//
// A handler may set the code that it gets to MPI_SUCCESS, which some calls then return, and MPICH 5.0.2 returns
// MPI_SUCCESS whenever a handler of the program has run. After a failed call, its results (status, request,
// communicator) have their old values. So the profiler puts a function of its own in front of each handler that the
// program creates. It keeps the error for the call's wrapper, see Call::error().
#pragma once

namespace commprof::error_handlers {

// The function to give to MPI in place of the program's; the program's own if there are too many.
void* observed(void* handler);

template <class Function>
Function* observed(Function* handler) {
  return reinterpret_cast<Function*>(observed(reinterpret_cast<void*>(handler)));
}

}  // namespace commprof::error_handlers
