#include "base/clock.hpp"

#include "base/dropped.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace commprof::clock {

bool reads_tsc = false;

namespace {

Reading first{};

}  // namespace

// Takes the reading whose two halves are closest together: if the process is descheduled between them, the rate is
// skewed.
Reading read() {
  Reading best{};
  std::uint64_t narrowest = UINT64_MAX;
  for (int attempt = 0; attempt < 5; ++attempt) {
    std::uint64_t const before = monotonic_ns();
    Ticks const ticks = counter();
    std::uint64_t const after = monotonic_ns();
    if (after - before < narrowest) {
      narrowest = after - before;
      best = {ticks, before + (after - before) / 2};
    }
  }
  return best;
}

bool tsc_is_invariant() {
#if defined(__x86_64__)
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(0x80000007U, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1U << 8)) != 0;
#elif defined(__aarch64__)
  return true;  // the generic timer's count has a constant rate by architecture
#else
  return false;
#endif
}

void start(Source wanted) {
  reads_tsc = wanted == Source::tsc && tsc_is_invariant();
  look();
}

void look() {
  if (first.ns == 0) first = read();
}

Reading first_reading() { return first; }

[[gnu::cold]] Ticks went_back() {
  dropped::count(Dropped::times);
  return {};
}

char const* source_name() { return reads_tsc ? "tsc" : "monotonic"; }

// A base of a millisecond gives the rate with an error of 0.1 %. A monotonic clock that stands still, as under a
// time-travel debugger or in a sandbox, never gets there; the rate is then unknown, and a tick counts as a nanosecond.
Rate calibrate() {
  if (!reads_tsc) return {};
  constexpr int most_readings = 20'000;  // each takes a quarter of a microsecond or more
  for (int reading = 0; reading < most_readings; ++reading) {
    Rate const rate = rate_until_now();
    if (rate.nanoseconds >= 1'000'000U) return rate;
  }
  dropped::count(Dropped::times);
  return {};
}

Rate rate_until_now() {
  Reading const last = read();
  bool const goes_on = last.ns > first.ns && last.ticks > first.ticks;
  return reads_tsc && goes_on ? Rate::between(first, last) : Rate{};
}

}  // namespace commprof::clock
