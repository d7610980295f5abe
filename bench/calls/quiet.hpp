// Detects whether this program has the processor to itself, and keeps a process that takes no part out of the way.
#pragma once

#include <mpi.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <ctime>

#include "base/counter.h"

namespace bench {

inline double now_ns(clockid_t clock = CLOCK_MONOTONIC) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

// The time of two reads of the time stamp counter now.
inline double pair_of_stamps_ns() {
  constexpr int pairs = 400;
  static std::uint64_t volatile ticks;
  double const start = now_ns();
  for (int i = 0; i < pairs; ++i) {
    std::uint64_t const before = commprof_counter();
    ticks = ticks + commprof_counter() - before;
  }
  return (now_ns() - start) / pairs;
}

// The time of a sequence of additions now. A processor executes several of them at once, so anything that shares its
// core, such as another virtual machine, makes them slower.
inline double work_ns() {
  constexpr int rounds = 2000;
  std::uint64_t a = 1, b = 1, c = 1, d = 1, e = 1;
  double const start = now_ns();
  for (int i = 0; i < rounds; ++i) {
    a += 3, b += 3, c += 3, d += 3, e += 3;
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e));  // one by one, and none left out
  }
  return now_ns() - start;
}

// Whether work_ns() is close to BENCH_WORK_NS of the environment; true if that is not set.
inline bool is_quiet() {
  constexpr double tolerance = 1.05;
  char const* const quiet = std::getenv("BENCH_WORK_NS");
  return quiet == nullptr || work_ns() <= tolerance * std::atof(quiet);
}

// Waits until is_quiet(), but at most 0.3 s in a process. Returns its last result.
inline bool wait_for_quiet() {
  static int naps_left = 60;
  while (!is_quiet()) {
    if (naps_left-- <= 0) return false;
    ::usleep(5000);
  }
  return true;
}

// Sleeps until all processes are here. A job of one process has no messages to wait for, so it would not show what
// counting them costs. No library sees these calls.
inline void meet() {
  MPI_Request all;
  PMPI_Ibarrier(MPI_COMM_WORLD, &all);
  for (int are_here = 0; are_here == 0; ::usleep(1000)) PMPI_Test(&all, &are_here, MPI_STATUS_IGNORE);
}

}  // namespace bench
