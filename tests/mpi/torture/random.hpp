// A random source that gives equal numbers for equal seeds with any library; the standard distributions do not.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

namespace torture {

class Random {
 public:
  explicit Random(unsigned seed) : draw_(seed) {}

  int below(int bound) { return static_cast<int>(draw_() % static_cast<unsigned>(bound)); }
  int between(int first, int last) { return first + below(last - first + 1); }
  std::size_t index(std::size_t size) { return draw_() % size; }
  bool one_in(int n) { return below(n) == 0; }
  template <typename T>
  T const& pick(std::vector<T> const& from) {
    return from[index(from.size())];
  }
  template <typename T>
  void shuffle(std::vector<T>& order) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[index(i)]);
  }

 private:
  std::mt19937 draw_;
};

}  // namespace torture
