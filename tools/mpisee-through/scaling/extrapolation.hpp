// The wall time on more ranks than were measured, as far as measurements can tell.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scaling/scaling.hpp"

namespace mpisee_through {

// The fewest numbers of ranks that a law with two terms is fitted to, and how far it is believed: times the most ranks.
inline constexpr std::size_t fewest_counts_to_fit = 4;
inline constexpr std::uint32_t farthest_factor = 4;

struct ExtrapolatedTime {
  std::uint32_t ranks;
  double wall_s;
  double low_s, high_s;  // of the 95 % interval for one more run
};

// With times, or with the reason why there are none, as the rest of a sentence.
struct Extrapolation {
  std::string law;  // "7.900 s / ranks + 100.0 ms"
  std::vector<ExtrapolatedTime> times;
  std::string reason;
};

// Of the laws a / n + b (Amdahl's), a / n + b log n and a / n + b n, for weak scaling a + b log n and a + b n, the one
// that is best at each point when fitted to the others. a and b are not negative. Errors count as parts of the time.
// The law is taken if it misses these points by 10 % (root mean square) at most, and as far as the interval is within
// 50 %.
[[nodiscard]] Extrapolation extrapolate(Scaling const& scaling);

}  // namespace mpisee_through
