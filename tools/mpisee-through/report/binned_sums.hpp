#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace mpisee_through {

// Sums by ranks, and by whatever else is in the key, of which there are never many more than a limit: where there would
// be, pairs of neighbouring bins of ranks become one bin until there are not. Bins begin at multiples of their size.
//
// Key is ordered, and has the members
//   Key merged(unsigned times) const   the key of the bin it is in when neighbours have become one so many times
//   std::size_t hash() const
template <class Key, class Sum>
class BinnedSums {
 public:
  // first_shift: bins hold 2 to the power of it ranks from the start.
  explicit BinnedSums(std::size_t limit, unsigned first_shift = 0) : limit_(limit), shift_(first_shift) {}

  // The key is that of single ranks.
  void add(Key const& key, Sum const& sum) {
    sums_[key.merged(shift_)] += sum;
    while (sums_.size() > limit_ && shift_ < last_shift) merge_neighbours();
  }

  [[nodiscard]] std::uint64_t ranks_per_bin() const { return std::uint64_t{1} << shift_; }

  // In ascending order of keys.
  [[nodiscard]] std::vector<std::pair<Key, Sum>> sorted() const {
    std::vector<std::pair<Key, Sum>> all(sums_.begin(), sums_.end());
    std::ranges::sort(all, {}, &std::pair<Key, Sum>::first);
    return all;
  }

 private:
  static constexpr unsigned last_shift = 31;  // every rank is in the first bin

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
