// Begins the profile with MPI: one path for all functions and bindings that initialise it.
#pragma once

#include "base/clock.hpp"
#include "mpi_messages/mpi_messages.hpp"
#include "run/run.hpp"
#include "transport/transport.hpp"
#include "wrappers/counting.hpp"

namespace commprof::initialization {

// The number of calls of these functions in progress: a tool or another binding may call one from within another. MPI
// is initialised by one thread at a time.
inline int calls_under_way = 0;

// MPI_Init and MPI_Init_thread. forward: calls the MPI's function, or a tool's, and returns its result.
template <class Forward>
int of_world(Forward&& forward) {
  clock::look();
  mpi_messages::prepare();
  transport::prepare();
  if (calls_under_way++ == 0) run::announce();
  int const result = forward();
  if (--calls_under_way == 0 && result == MPI_SUCCESS) run::begin();
  return result;
}

// MPI_Session_init.
template <class Forward>
[[gnu::always_inline]] inline int of_session(Forward&& forward) {
  clock::look();
  Call call;
  int const returned = forward();
  int const result = call.is_kept() ? call.error(returned) : returned;
  if (call.is_kept()) {
    call.stop();
    record(call, Op::Session_init, at_self(result), volume::none);
  }
  if (result == MPI_SUCCESS) run::session_opened();
  return returned;
}

}  // namespace commprof::initialization
