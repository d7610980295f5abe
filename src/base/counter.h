/* The processor's time counter, read by the two stamps of a call. In C, so that the benchmarks can measure it alone. */
#ifndef COMMPROF_PROFILE_COUNTER_H
#define COMMPROF_PROFILE_COUNTER_H

#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

static inline uint64_t commprof_monotonic_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* Without a counter in the processor, nanoseconds of the monotonic clock. */
__attribute__((always_inline)) static inline uint64_t commprof_counter(void) {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  uint64_t count;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#else
  return commprof_monotonic_ns();
#endif
}

#endif
