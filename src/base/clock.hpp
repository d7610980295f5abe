// The clock that stamps calls: the cheapest one with a constant rate, in ticks of its own.
//
// Two stamps are nearly the whole cost of a profiled call. So a stamp is one unserialised read of the time stamp
// counter if the processor guarantees a constant rate, otherwise clock_gettime(). Ticks are converted to seconds only
// when a profile is written, with two readings of both clocks from the beginning and the end of the run.
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

// Whether the time stamp counter has a constant rate in all power states of the processor.
bool tsc_is_invariant();

// Readings of both clocks at one moment.
struct Reading {
  Ticks ticks;
  std::uint64_t ns = 0;
};

// Takes the first reading for calibration, unless there is one. An early reading makes the rate more precise for a run
// that is short or killed.
void look();

// Chooses the source; monotonic if the processor lacks the wanted one.
void start(Source wanted);

// The first reading, and a new one.
Reading first_reading();
Reading read();

char const* source_name();

extern bool reads_tsc;

inline std::uint64_t monotonic_ns() { return commprof_monotonic_ns(); }

// The processor's counter; the monotonic clock if there is none.
[[gnu::always_inline]] inline Ticks counter() { return {commprof_counter()}; }

[[gnu::always_inline]] inline Ticks now() {
  if (reads_tsc) [[likely]]
    return counter();
  return {monotonic_ns()};
}

// For since(): counts an unknown time and returns zero ticks.
Ticks went_back();

// The time since a stamp. Zero if the clock is not monotonic, as when a virtual machine moves to another host.
[[gnu::always_inline]] inline Ticks since(Ticks start) {
  Ticks const end = now();
  return end >= start ? end - start : went_back();
}

// Ticks per nanosecond, as a quotient of one duration in both units.
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

// Computes the rate from the first reading and a new one.
Rate calibrate();
// Computes the rate without waiting; in the first milliseconds it is less precise than calibrate().
Rate rate_until_now();

}  // namespace clock

// A clock shared by processes of several hosts.
// What must be added to this host's monotonic clock to get that of the first host. error_ns: bound of its error.
struct ClockOffset {
  std::int64_t ns = 0;
  std::uint64_t error_ns = 0;
};

// Converts ticks of this process to ticks of the common clock, along a line through two points.
struct CommonClock {
  struct Point {
    Ticks here;
    Ticks there;
  };
  bool is_known = false;  // false: times of different hosts cannot be compared
  Point first{}, last{};
  clock::Rate rate{};          // rate of the common clock
  std::uint64_t error_ns = 0;  // bound of the error

  // The difference from the first point may be negative; numbers of ticks have less than 63 bits.
  Ticks of(Ticks here) const {
    using Wide = __int128;
    auto const between = static_cast<Wide>(last.here.count) - static_cast<Wide>(first.here.count);
    auto const since = static_cast<Wide>(here.count) - static_cast<Wide>(first.here.count);
    if (between <= 0) return {first.there.count + static_cast<std::uint64_t>(since)};
    auto const between_there = static_cast<Wide>(last.there.count) - static_cast<Wide>(first.there.count);
    return {static_cast<std::uint64_t>(static_cast<Wide>(first.there.count) + since * between_there / between)};
  }
};

}  // namespace commprof
