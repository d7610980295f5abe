// The clock that stamps calls: the cheapest one that runs at a constant rate, in ticks of its own.
//
// Two stamps are nearly the whole cost of a profiled call, so a stamp is one unserialised read of the time stamp
// counter where the processor promises a constant rate, and clock_gettime elsewhere. Ticks become seconds only when a
// profile is written, by comparing two readings of both clocks, one taken at each end of the run.
#pragma once

#include <compare>
#include <cstdint>
#include <ctime>

#include "base/counter.h"

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

// Both clocks at one moment.
struct Reading {
  Ticks ticks;
  std::uint64_t ns = 0;
};

// Takes the first reading for calibration, if none is taken yet: the earlier, the better is the rate known that a short
// run, or one that is killed, is written with.
void look();

// Chooses the source. A source that the processor lacks becomes monotonic.
void start(Source wanted);

// The first reading, and one of now.
Reading first_reading();
Reading read();

Source source();
char const* source_name();

extern bool reads_tsc;

inline std::uint64_t monotonic_ns() { return commprof_monotonic_ns(); }

// The processor's own count; where it has none, the monotonic clock.
[[gnu::always_inline]] inline Ticks counter() { return {commprof_counter()}; }

[[gnu::always_inline]] inline Ticks now() {
  if (reads_tsc) [[likely]]
    return counter();
  return {monotonic_ns()};
}

// For since(): counts that a time is not known, and makes it none.
Ticks went_back();

// The time since a stamp. None if the clock has gone back meanwhile, as it may where a virtual machine moves to another
// host.
[[gnu::always_inline]] inline Ticks since(Ticks start) {
  Ticks const end = now();
  return end >= start ? end - start : went_back();
}

// Ticks per nanosecond as a fraction of two durations of the same length.
struct Rate {
  std::uint64_t ticks = 1;
  std::uint64_t nanoseconds = 1;

  std::uint64_t to_ns(Ticks duration) const {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(duration.count) * nanoseconds / ticks);
  }
  static Rate between(Reading const& first, Reading const& last) {
    return {(last.ticks - first.ticks).count, last.ns - first.ns};
  }
  double hertz() const { return static_cast<double>(ticks) / static_cast<double>(nanoseconds) * 1e9; }
};

// Compares the clock with the monotonic one since the first reading.
Rate calibrate();

}  // namespace clock
}  // namespace commprof
