// The clock that stamps calls: the cheapest one that runs at a constant rate, in ticks of its own.
//
// Two stamps are nearly the whole cost of a profiled call, so a stamp is one unserialised read of the time stamp counter
// where the processor promises a constant rate, and clock_gettime elsewhere. Ticks become seconds only when a profile is
// written, by comparing two readings of both clocks, one taken at each end of the run.
#pragma once

#include <compare>
#include <cstdint>
#include <ctime>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace commprof {

// A point in time or a duration, in the unit of the clock in use.
struct Ticks {
  std::uint64_t count = 0;

  friend Ticks operator-(Ticks a, Ticks b) { return {a.count - b.count}; }
  friend Ticks operator+(Ticks a, Ticks b) { return {a.count + b.count}; }
  Ticks& operator+=(Ticks other) { return count += other.count, *this; }
  Ticks& operator-=(Ticks other) { return count -= other.count, *this; }
  friend auto operator<=>(Ticks, Ticks) = default;
};

namespace clock {

enum class Source : std::uint8_t { monotonic, tsc };

// True where the time stamp counter runs at a constant rate in all power states of the processor.
bool tsc_is_invariant();

// Chooses the source and takes the first reading for calibration. A source that the processor lacks becomes monotonic.
void start(Source wanted);

Source source();
char const* source_name();

extern bool reads_tsc;

inline std::uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

[[gnu::always_inline]] inline Ticks now() {
#if defined(__x86_64__)
  if (reads_tsc) [[likely]] return {__rdtsc()};
#elif defined(__aarch64__)
  if (reads_tsc) [[likely]] {
    std::uint64_t count;
    asm volatile("mrs %0, cntvct_el0" : "=r"(count));
    return {count};
  }
#endif
  return {monotonic_ns()};
}

// Ticks per nanosecond as a fraction of two durations of the same length, from start() to the moment of calibration.
struct Rate {
  std::uint64_t ticks = 1;
  std::uint64_t nanoseconds = 1;

  std::uint64_t to_ns(Ticks duration) const {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(duration.count) * nanoseconds / ticks);
  }
  double hertz() const { return static_cast<double>(ticks) / static_cast<double>(nanoseconds) * 1e9; }
};

// Compares the clock with the monotonic one since start().
Rate calibrate();

}  // namespace clock
}  // namespace commprof
