// Waits that leave the processor to other processes. With more processes than processors, an MPI that spins while it
// waits keeps the process that it waits for from running.
#pragma once

#include <sched.h>
#include <time.h>

#include <type_traits>

#include "mpi/mpi.hpp"

namespace commprof {

// Tests the request. If that fails and the request is still there, another call may do: what has been started must end.
inline int test_surely(MPI_Request& request, int& is_complete, MPI_Status* status = MPI_STATUS_IGNORE) {
  int const result = PMPI_Test(&request, &is_complete, status);
  if (result == MPI_SUCCESS || request == MPI_REQUEST_NULL) return result;
  return PMPI_Testall(1, &request, &is_complete, status == MPI_STATUS_IGNORE ? MPI_STATUSES_IGNORE : status);
}

// The pause between two looks at what is waited for. polls: how often nothing has come so far.
//
// Yields at first, for what comes soon. A process that only yields uses up its share of a processor, and gets one back
// only after the processes that spin have used up theirs. So it then sleeps, and calls before_nap() before that: each
// time a little longer, so that many processes that wait on few processors leave these to the one they wait for.
// Waiting takes hardly longer: a nap is a small part of the time that the process has waited by then.
template <class BeforeNap>
void rest(int& polls, BeforeNap&& before_nap) {
  constexpr int yields = 100, most_steps = 500;
  constexpr long step_ns = 20'000;
  if (polls < yields + most_steps) ++polls;
  if (polls <= yields) {
    sched_yield();
  } else {
    before_nap();
    timespec const nap{.tv_sec = 0, .tv_nsec = (polls - yields) * step_ns};
    clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, nullptr);  // unlike usleep(), does not change errno
  }
}

// Waits for the request, and returns its error code. A request that fails has ended, too. before_nap: see rest().
template <class BeforeNap>
int wait_politely(MPI_Request request, MPI_Status* status, BeforeNap&& before_nap) {
  for (int polls = 0, is_complete = 0;; rest(polls, before_nap)) {
    int const result = test_surely(request, is_complete, status);
    if (is_complete != 0 || result != MPI_SUCCESS) return result;
  }
}

inline int wait_politely(MPI_Request request, MPI_Status* status = MPI_STATUS_IGNORE) {
  return wait_politely(request, status, [] {});
}

// Starts a nonblocking collective call by start(request) and waits for it. Returns the error code of the start: if
// waiting fails, the process goes on with the others, which do not know of that.
template <class Start, class BeforeNap>
int do_together_politely(Start&& start, BeforeNap&& before_nap) {
  MPI_Request request = MPI_REQUEST_NULL;
  int const result = start(&request);
  if (result == MPI_SUCCESS) wait_politely(request, MPI_STATUS_IGNORE, before_nap);
  return result;
}

template <class Start>
int do_together_politely(Start&& start) {
  return do_together_politely(start, [] {});
}

// Broadcasts a value from rank 0. Returns the error code, with an unchanged value on failure.
template <class Value>
int broadcast_politely(Value& value, MPI_Comm comm) {
  static_assert(std::is_trivially_copyable_v<Value>);
  Value told = value;
  int const result = do_together_politely(
      [&](MPI_Request* request) { return PMPI_Ibcast(&told, sizeof told, MPI_BYTE, 0, comm, request); });
  if (result == MPI_SUCCESS) value = told;
  return result;
}

}  // namespace commprof
