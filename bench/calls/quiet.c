#include "quiet.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

double bench_pair_of_stamps(void) {
  enum { pairs = 400 };
  static volatile uint64_t ticks;
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (int i = 0; i < pairs; ++i) {
    uint64_t const before = __rdtsc();
    ticks += __rdtsc() - before;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  return (1e9 * (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec)) / pairs;
}

int bench_is_quiet(void) {
  double const tolerance = 1.05;
  char const* const quiet = getenv("BENCH_PAIR_NS");
  return quiet == NULL || bench_pair_of_stamps() <= tolerance * atof(quiet);
}

int bench_wait_for_quiet(void) {
  static int naps_left = 60;
  struct timespec const nap = {.tv_nsec = 5000000};
  while (!bench_is_quiet()) {
    if (naps_left-- <= 0) return 0;
    nanosleep(&nap, NULL);
  }
  return 1;
}
