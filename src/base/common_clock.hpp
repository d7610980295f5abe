// A clock shared by processes of several hosts.
#pragma once

#include <cstdint>

#include "base/clock.hpp"

namespace commprof {

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
