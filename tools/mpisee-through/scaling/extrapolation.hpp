// Predicts the wall time on more ranks than were measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scaling/scaling.hpp"

namespace mpisee_through {

// The least number of different rank counts to fit a law to, and the farthest prediction as a multiple of the most
// ranks.
inline constexpr std::size_t fewest_counts_to_fit = 4;
inline constexpr std::uint32_t farthest_factor = 4;

struct ExtrapolatedTime {
  std::uint32_t ranks;
  double wall_s;
  double low_s, high_s;  // the 95 % prediction interval of one more run
};

// Either predicted times, or the reason why there are none, which completes a sentence.
struct Extrapolation {
  std::string law;  // "7.900 s / ranks + 100.0 ms"
  std::vector<ExtrapolatedTime> times;
  std::string reason;
};

// Candidates are the laws a / n + b (Amdahl's), a / n + b log n and a / n + b n, for weak scaling a + b log n and a + b
// n; a and b are not negative. Takes the law with the smallest relative error at each point when it is fitted to the
// others. Predicts nothing if this error (root mean square) exceeds 10 %, and only as far as the interval is within 50
// %.
[[nodiscard]] Extrapolation extrapolate(Scaling const& scaling);

}  // namespace mpisee_through
