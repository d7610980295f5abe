#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "files/rank_set.hpp"
#include "reader/seconds.hpp"

namespace mpisee_through {

// The smallest and the largest of the ranks' times. Among equal times, the first rank counts.
class RankSpread {
 public:
  struct Extreme {
    Seconds seconds{};
    WorldRank rank{};
  };

  RankSpread() = default;
  RankSpread(std::uint64_t ranks, Extreme const& min, Extreme const& max) : ranks_(ranks), min_(min), max_(max) {}

  // Adds the times of later ranks.
  void append(RankSpread const& later) {
    if (later.ranks_ == 0) return;
    if (ranks_ == 0 || later.min_.seconds.is_less(min_.seconds)) min_ = later.min_;
    if (ranks_ == 0 || max_.seconds.is_less(later.max_.seconds)) max_ = later.max_;
    ranks_ += later.ranks_;
  }

  // min() and max() are 0 without ranks.
  [[nodiscard]] std::uint64_t ranks() const { return ranks_; }
  [[nodiscard]] Extreme const& min() const { return min_; }
  [[nodiscard]] Extreme const& max() const { return max_; }
  [[nodiscard]] double min_s() const { return min_.seconds; }
  [[nodiscard]] double max_s() const { return max_.seconds; }

 private:
  std::uint64_t ranks_ = 0;
  Extreme min_, max_;
};

// How much longer the slowest rank takes than the mean: maximum / mean - 1. 0 if all ranks take equally long, 1 if the
// slowest takes twice the mean. Nothing if no time passed.
[[nodiscard]] inline std::optional<double> imbalance_of(double max_s, double mean_s) {
  return mean_s > 0 ? std::optional(std::max(max_s / mean_s - 1, 0.0)) : std::nullopt;
}

}  // namespace mpisee_through
