#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "reader/rank_set.hpp"

namespace mpisee_through {

// The smallest and the largest of the ranks' sums. Summands come rank by rank, so a sum is complete when another rank
// follows, and memory is constant. Of equal sums, the first rank's.
class RankSpread {
 public:
  struct Extreme {
    double seconds = 0;
    WorldRank rank{};
  };

  void add(WorldRank rank, double seconds) {
    if (ranks_ == 0 || rank != current_.rank) {
      min_ = min();
      max_ = max();
      current_ = {0, rank};
      ++ranks_;
    }
    current_.seconds += seconds;
  }

  // The number of ranks that were added. min() and max() are 0 before the first.
  [[nodiscard]] std::uint64_t ranks() const { return ranks_; }
  [[nodiscard]] Extreme min() const { return ranks_ > 1 && min_.seconds <= current_.seconds ? min_ : current_; }
  [[nodiscard]] Extreme max() const { return ranks_ > 1 && max_.seconds >= current_.seconds ? max_ : current_; }
  [[nodiscard]] double min_s() const { return min().seconds; }
  [[nodiscard]] double max_s() const { return max().seconds; }

 private:
  std::uint64_t ranks_ = 0;
  Extreme current_;  // not complete
  Extreme min_;      // of the ranks before
  Extreme max_;
};

// How much longer the slowest rank takes than the mean: maximum / mean - 1. 0 if all ranks take the same time, and 1 if
// the slowest takes twice the mean. Nothing if no time passed.
[[nodiscard]] inline std::optional<double> imbalance_of(double max_s, double mean_s) {
  return mean_s > 0 ? std::optional(std::max(max_s / mean_s - 1, 0.0)) : std::nullopt;
}

}  // namespace mpisee_through
