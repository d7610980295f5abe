// A set of ranks as a name has it: 5, 0-3, or 0-6:2 if the ranks are a range with a stride; else the smallest rank and
// a hash of all, 0.3f2a9c1d. Any two processes that add the same ranks, in whichever order, get the same text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "base/hash.hpp"

namespace commprof {

// Stores no ranks, so it needs no memory. A process without memory thus makes the names that others make.
class RankSet {
 public:
  // Each rank once.
  constexpr void add(std::int32_t rank) {
    if (count_ == 0) smallest_ = largest_ = any_ = rank;
    smallest_ = std::min(smallest_, rank);
    largest_ = std::max(largest_, rank);
    std::uint32_t const from_any = distance(any_, rank);
    stride_ = std::gcd(stride_, from_any);
    sum_ += scattered(static_cast<std::uint32_t>(rank) + 1U);
    ++count_;
  }

  constexpr std::uint32_t count() const { return count_; }
  constexpr std::int32_t smallest() const { return smallest_; }
  constexpr std::int32_t largest() const { return largest_; }
  // The distance of neighbours in a range; 0 if there is one rank or none.
  constexpr std::uint32_t stride() const { return stride_; }
  // All ranks differ from one of them by multiples of the stride. So they are a range if there are as many as fit.
  constexpr bool is_range() const {
    return count_ == 1 || (count_ > 1 && std::uint64_t{stride_} * (count_ - 1) == distance(smallest_, largest_));
  }
  constexpr std::uint64_t hash() const { return scattered(sum_ ^ count_); }
  constexpr std::uint32_t short_hash() const { return static_cast<std::uint32_t>(hash() >> 32); }

 private:
  static constexpr std::uint32_t distance(std::int32_t a, std::int32_t b) {
    return a < b ? static_cast<std::uint32_t>(b) - static_cast<std::uint32_t>(a)
                 : static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b);
  }

  std::uint32_t count_ = 0;
  std::int32_t smallest_ = 0, largest_ = 0;
  std::int32_t any_ = 0;  // the rank that was added first
  std::uint32_t stride_ = 0;
  std::uint64_t sum_ = 0;  // of a hash of each rank
};

}  // namespace commprof
