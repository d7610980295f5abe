// Who has how much to do with whom, as placement needs it: both directions of a pair added up, from both sides.
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
  // Messages to oneself and to other worlds are left out.
  Work(std::vector<PairTraffic> const& pairs, std::size_t ranks);

  [[nodiscard]] std::size_t ranks() const { return first_.size() - 1; }
  [[nodiscard]] std::size_t arcs() const { return partners_.size(); }
  // Nothing for a rank from ranks() on: an empty slot is a rank without partners.
  [[nodiscard]] std::span<Partner const> of(std::size_t rank) const {
    if (rank >= ranks()) return {};
    return std::span(partners_).subspan(first_[rank], first_[rank + 1] - first_[rank]);
  }

 private:
  std::vector<std::size_t> first_;
  std::vector<Partner> partners_;
};

}  // namespace mpisee_through
