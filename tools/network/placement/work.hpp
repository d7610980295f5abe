// The traffic between ranks as placement needs it: both directions of a pair added up, stored at both ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "summary/traffic.hpp"

namespace mpisee_through {

struct Partner {
  std::uint32_t rank;
  double messages;
  double bytes;
};

class Work {
 public:
  // Leaves out messages to the sender itself and to other worlds.
  Work(std::vector<PairTraffic> const& pairs, std::size_t ranks);

  [[nodiscard]] std::size_t ranks() const { return first_.size() - 1; }
  [[nodiscard]] std::size_t arcs() const { return partners_.size(); }
  // Empty for ranks from ranks() on: they stand for empty slots.
  [[nodiscard]] std::span<Partner const> of(std::size_t rank) const {
    if (rank >= ranks()) return {};
    return std::span(partners_).subspan(first_[rank], first_[rank + 1] - first_[rank]);
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<Partner> partners_;
};

}  // namespace mpisee_through
