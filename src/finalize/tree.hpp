// The binomial tree of all ranks, with rank 0 at the root: the subtree of rank r contains the ranks from r to below r
// plus the lowest set bit of r.
#pragma once

#include <algorithm>
#include <span>

namespace commprof {

class Tree {
 public:
  Tree(int rank, int ranks) : rank_(rank) {
    for (int step = 1; step < ranks && (rank & step) == 0; step *= 2)
      if (rank + step < ranks) children_[count_++] = rank + step;
  }

  bool is_root() const { return rank_ == 0; }
  int parent() const { return rank_ & (rank_ - 1); }
  // Ascending; the subtree of each child begins where that of the child before ends.
  std::span<int const> children() const { return {children_, count_}; }

  static constexpr unsigned most_children = 31;  // ranks are positive integers

 private:
  int rank_;
  int children_[most_children]{};
  std::size_t count_ = 0;
};

}  // namespace commprof
