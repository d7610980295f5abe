#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "files/rank_set.hpp"
#include "reader/seconds.hpp"

namespace mpisee_through {

// The smallest and the largest of the ranks' sums. Summands come rank by rank; a rank's sum is complete when the next
// rank begins, so memory is constant. Among equal sums, the first rank counts.
class RankSpread {
 public:
  struct Extreme {
    Seconds seconds{};
    WorldRank rank{};
  };

  RankSpread() = default;
  // Takes sums that are known already.
  RankSpread(std::uint64_t ranks, Extreme const& min, Extreme const& max)
      : ranks_(ranks), is_complete_(true), min_(min), max_(max) {}

  void add(WorldRank rank, Seconds seconds) {
    if (ranks_ == 0 || is_complete_ || rank != current_.rank) {
      complete();
      is_complete_ = false;
      current_ = {{}, rank};
      ++ranks_;
    }
    current_.seconds += seconds;
  }

  // Adds the sums of later ranks.
  void append(RankSpread const& later) {
    if (later.ranks_ == 0) return;
    Extreme const min = later.min(), max = later.max();
    complete();
    if (ranks_ == 0 || min.seconds.is_less(min_.seconds)) min_ = min;
    if (ranks_ == 0 || max_.seconds.is_less(max.seconds)) max_ = max;
    ranks_ += later.ranks_;
  }

  // The number of ranks added. min() and max() are 0 before the first one.
  [[nodiscard]] std::uint64_t ranks() const { return ranks_; }
  [[nodiscard]] Extreme min() const {
    return is_complete_ || (ranks_ > 1 && !current_.seconds.is_less(min_.seconds)) ? min_ : current_;
  }
  [[nodiscard]] Extreme max() const {
    return is_complete_ || (ranks_ > 1 && !max_.seconds.is_less(current_.seconds)) ? max_ : current_;
  }
  [[nodiscard]] double min_s() const { return min().seconds; }
  [[nodiscard]] double max_s() const { return max().seconds; }

 private:
  void complete() {
    if (is_complete_) return;
    Extreme const least = min(), most = max();
    min_ = least;
    max_ = most;
    is_complete_ = true;
  }

  std::uint64_t ranks_ = 0;
  bool is_complete_ = false;  // whether current_ is included in min_ and max_
  Extreme current_;           // the current rank's sum so far
  Extreme min_;               // over the ranks before
  Extreme max_;
};

// How much longer the slowest rank takes than the mean: maximum / mean - 1. 0 if all ranks take equally long, 1 if the
// slowest takes twice the mean. Nothing if no time passed.
[[nodiscard]] inline std::optional<double> imbalance_of(double max_s, double mean_s) {
  return mean_s > 0 ? std::optional(std::max(max_s / mean_s - 1, 0.0)) : std::nullopt;
}

}  // namespace mpisee_through
