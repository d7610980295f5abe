#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mpisee_through {

// Sums by rank, and by whatever else the key contains. To keep the number of sums near a limit, neighbouring bins of
// ranks are joined in pairs when there are too many. Bins begin at multiples of their size.
//
// Key is ordered, and has the members
//   Key merged(unsigned times) const   the key of the bin after this many joinings
//   std::size_t hash() const
template <class Key, class Sum>
class BinnedSums {
 public:
  // first_shift: bins begin with 2 to the power of first_shift ranks.
  explicit BinnedSums(std::size_t limit, unsigned first_shift = 0) : limit_(limit), shift_(first_shift) {}

  // The key must be that of a single rank.
  void add(Key const& key, Sum const& sum) {
    sums_[key.merged(shift_)] += sum;
    while (sums_.size() > limit_ && shift_ < last_shift) merge_neighbours();
  }
  void add(BinnedSums&& other) {
    join_into(other.ranks_per_bin());
    for (auto const& [key, sum] : other.sums_) {
      sums_[key.merged(shift_ - other.shift_)] += sum;
      while (sums_.size() > limit_ && shift_ < last_shift) merge_neighbours();
    }
  }

  // Joins bins until they have at least this many ranks.
  void join_into(std::uint64_t ranks) {
    while (ranks_per_bin() < ranks) merge_neighbours();
  }

  [[nodiscard]] std::uint64_t ranks_per_bin() const { return std::uint64_t{1} << shift_; }

  // The sums in ascending order of keys.
  [[nodiscard]] std::vector<std::pair<Key, Sum>> sorted() const {
    std::vector<std::pair<Key, Sum>> all(sums_.begin(), sums_.end());
    std::ranges::sort(all, {}, &std::pair<Key, Sum>::first);
    return all;
  }

 private:
  static constexpr unsigned last_shift = 31;  // all ranks are in one bin

  struct Hash {
    std::size_t operator()(Key const& key) const { return key.hash(); }
  };

  void merge_neighbours() {
    ++shift_;
    std::unordered_map<Key, Sum, Hash> merged;
    for (auto const& [key, sum] : sums_) merged[key.merged(1)] += sum;
    sums_ = std::move(merged);
  }

  std::size_t limit_;
  unsigned shift_;
  std::unordered_map<Key, Sum, Hash> sums_;
};

}  // namespace mpisee_through
