#include "quiet.h"

#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include "base/counter.h"

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

double bench_pair_of_stamps(void) {
  enum { pairs = 400 };
  static volatile uint64_t ticks;
  double const start = now_ns();
  for (int i = 0; i < pairs; ++i) {
    uint64_t const before = commprof_counter();
    ticks += commprof_counter() - before;
  }
  return (now_ns() - start) / pairs;
}

double bench_work(void) {
  enum { rounds = 2000 };
  uint64_t a = 1, b = 1, c = 1, d = 1, e = 1;
  double const start = now_ns();
  for (int i = 0; i < rounds; ++i) {
    a += 3, b += 3, c += 3, d += 3, e += 3;
    __asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e)); /* one by one, and none left out */
  }
  return now_ns() - start;
}

int bench_is_quiet(void) {
  double const tolerance = 1.05;
  char const* const quiet = getenv("BENCH_WORK_NS");
  return quiet == NULL || bench_work() <= tolerance * atof(quiet);
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
