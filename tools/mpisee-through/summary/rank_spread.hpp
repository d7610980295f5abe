#pragma once

#include <algorithm>
#include <cstdint>

#include "reader/rank_set.hpp"

namespace mpisee_through {

// The smallest and the largest sum over ranks, out of summands that come one rank after the other: in constant memory,
// because a rank's sum is complete as soon as another rank follows.
class RankSpread {
 public:
  void add(WorldRank rank, double seconds) {
    if (ranks_ == 0 || rank != rank_) {
      if (ranks_ > 0) {
        min_s_ = ranks_ == 1 ? sum_s_ : std::min(min_s_, sum_s_);
        max_s_ = std::max(max_s_, sum_s_);
      }
      rank_ = rank;
      sum_s_ = 0;
      ++ranks_;
    }
    sum_s_ += seconds;
  }

  // Over the ranks that have been added; 0 before the first.
  [[nodiscard]] std::uint64_t ranks() const { return ranks_; }
  [[nodiscard]] double min_s() const { return ranks_ > 1 ? std::min(min_s_, sum_s_) : sum_s_; }
  [[nodiscard]] double max_s() const { return std::max(max_s_, sum_s_); }

 private:
  std::uint64_t ranks_ = 0;
  WorldRank rank_{};
  double sum_s_ = 0;  // of rank_
  double min_s_ = 0;  // of the ranks before it
  double max_s_ = 0;
};

}  // namespace mpisee_through
