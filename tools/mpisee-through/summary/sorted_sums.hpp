#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace mpisee_through {

// Sums by key, for many keys that come mostly in order, with repetitions in a row. A vector that is sorted from time to
// time is faster than a hash table and needs a third of its memory. Memory grows with the number of different keys, not
// of summands.
//
// Sum has operator+=, Key operators < and ==.
template <class Key, class Sum>
class SortedSums {
 public:
  struct Entry {
    Key key;
    Sum sum;
  };

  void add(Key const& key, Sum const& summand) {
    if (!entries_.empty() && entries_.back().key == key) {
      entries_.back().sum += summand;
      return;
    }
    if (entries_.size() >= limit_) {
      merge();
      limit_ = std::max(smallest_limit, 2 * entries_.size());
    }
    entries_.push_back({key, summand});
  }

  void add(SortedSums&& other) {
    for (auto const& [key, sum] : other.take()) add(key, sum);
  }

  // The sums, ascending by key, each key once. Leaves this object empty.
  [[nodiscard]] std::vector<Entry> take() {
    merge();
    return std::move(entries_);
  }

 private:
  static constexpr std::size_t smallest_limit = 4096;

  void merge() {
    if (!std::ranges::is_sorted(entries_, {}, &Entry::key)) std::ranges::sort(entries_, {}, &Entry::key);
    std::size_t last = 0;
    for (std::size_t i = 1; i < entries_.size(); ++i) {
      if (entries_[i].key == entries_[last].key) {
        entries_[last].sum += entries_[i].sum;
      } else {
        entries_[++last] = entries_[i];
      }
    }
    if (!entries_.empty()) entries_.resize(last + 1);
  }

  std::vector<Entry> entries_;
  std::size_t limit_ = smallest_limit;
};

}  // namespace mpisee_through
