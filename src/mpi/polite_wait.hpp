// Waits that leave the processor to others. On more processes than processors, an MPI that spins while it waits keeps
// the very process that it waits for from running.
#pragma once

#include <sched.h>
#include <time.h>

#include <type_traits>

#include "mpi/mpi.hpp"

namespace commprof {

// Returns the error code. A request that fails is over, too.
//
// Yields first, for what is about to come. But a process that goes on yielding uses up its share of a processor by
// that, and gets one back only after those that spin have used up theirs: so it naps, and calls before_nap() each time.
template <class BeforeNap>
int wait_politely(MPI_Request request, MPI_Status* status, BeforeNap&& before_nap) {
  constexpr int yields = 100;
  constexpr timespec nap{.tv_sec = 0, .tv_nsec = 20'000};
  for (int polls = 0, is_complete = 0;;) {
    int const result = PMPI_Test(&request, &is_complete, status);
    if (is_complete != 0 || result != MPI_SUCCESS) return result;
    if (polls < yields) {
      ++polls;
      sched_yield();
    } else {
      before_nap();
      clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, nullptr);  // leaves errno alone
    }
  }
}

inline int wait_politely(MPI_Request request, MPI_Status* status = MPI_STATUS_IGNORE) {
  return wait_politely(request, status, [] {});
}

// Starts a nonblocking call, start(request), and waits for it. Returns its error code.
template <class Start>
int do_politely(Start&& start, MPI_Status* status = MPI_STATUS_IGNORE) {
  MPI_Request request = MPI_REQUEST_NULL;
  int const result = start(&request);
  return result == MPI_SUCCESS ? wait_politely(request, status) : result;
}

// Starts a nonblocking collective call, start(request). The other processes wait for this one, so it is tried three
// times. Returns the error code.
template <class Start>
int start_together(Start&& start, MPI_Request& request) {
  constexpr int attempts = 3;
  int result = MPI_ERR_OTHER;
  for (int attempt = 0; attempt < attempts && result != MPI_SUCCESS; ++attempt) {
    request = MPI_REQUEST_NULL;
    result = start(&request);
  }
  return result;
}

// do_politely() for a collective call.
template <class Start, class BeforeNap>
int do_together_politely(Start&& start, BeforeNap&& before_nap) {
  MPI_Request request = MPI_REQUEST_NULL;
  int const result = start_together(start, request);
  return result == MPI_SUCCESS ? wait_politely(request, MPI_STATUS_IGNORE, before_nap) : result;
}

template <class Start>
int do_together_politely(Start&& start) {
  return do_together_politely(start, [] {});
}

// Tells all processes of a communicator a value that rank 0 has. Returns the error code; the value is as it was then.
// One process alone has nobody to tell: MPICH 4.0.2 without MPI_Init cannot even test a request then.
template <class Value>
int broadcast_politely(Value& value, int ranks, MPI_Comm comm) {
  static_assert(std::is_trivially_copyable_v<Value>);
  if (ranks == 1) return MPI_SUCCESS;
  Value told = value;
  int const result = do_together_politely(
      [&](MPI_Request* request) { return PMPI_Ibcast(&told, sizeof told, MPI_BYTE, 0, comm, request); });
  if (result == MPI_SUCCESS) value = told;
  return result;
}

}  // namespace commprof
