#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "summary/text_map.hpp"

namespace mpisee_through {

// Sums by a key with few values, such as an enumeration or a bool.
template <std::size_t count, class Sum>
class IndexedSums {
 public:
  template <class Key>
  void add(Key key, Sum const& summand) {
    sums_[static_cast<std::size_t>(key)] += summand;
  }
  void add(IndexedSums&& later) {
    for (std::size_t i = 0; i < count; ++i) sums_[i] += later.sums_[i];
  }
  template <class Key>
  [[nodiscard]] Sum const& operator[](Key key) const {
    return sums_[static_cast<std::size_t>(key)];
  }
  [[nodiscard]] std::array<Sum, count> const& all() const { return sums_; }

 private:
  std::array<Sum, count> sums_{};
};

// Sums by name, as spelled in the file. Sum has operator+= for summands, and for the Sum of rows further down.
template <class Sum>
class TextSums {
 public:
  template <class Summand>
  void add(std::string_view name, Summand const& summand) {
    sums_.get(name, [] { return Sum(); }) += summand;
  }
  void add(TextSums&& later) {
    for (auto& [name, sum] : later.sums_.values()) sums_.get(name, [] { return Sum(); }) += std::move(sum);
  }
  [[nodiscard]] TextMap<Sum>& all() { return sums_.values(); }

 private:
  Memo<Sum> sums_;
};

}  // namespace mpisee_through
