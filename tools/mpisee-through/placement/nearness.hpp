// What the partners of each rank cost in any slot, ready for many questions: for a rank with many partners, adding them
// up each time would take long.
#pragma once

#include <cstdint>
#include <vector>

#include "placement/costs.hpp"

namespace mpisee_through {

class Nearness {
 public:
  // The placement may change; then see moved().
  Nearness(Work const& work, Machine const& machine, Costs const& costs, Placement const& placement);

  // What the partners of a rank cost if it is in that slot, and they where they are.
  [[nodiscard]] double cost_at(std::uint32_t rank, SlotIndex slot) const;
  // The level at which a partner counts that seems to be in the same slot.
  [[nodiscard]] std::size_t level_in_slot(SlotIndex slot) const;
  // To be called after each change of the slot of a rank.
  void moved(std::uint32_t rank, SlotIndex from, SlotIndex to);
  // How many numbers were read or written.
  [[nodiscard]] std::int64_t steps() const { return steps_; }

 private:
  void add(std::uint32_t rank, SlotIndex slot, double sign);
  // Without one, which would be too large, partners are added up each time.
  [[nodiscard]] bool has_table() const { return row_ > 0; }

  Work const& work_;
  Machine const& machine_;
  Costs const& costs_;
  Placement const& placement_;
  // The levels whose places differ from those of the level inside, and have several slots.
  struct Part {
    std::size_t level;
    std::size_t outer;  // the level of the next part, or the last level
    std::size_t first;  // where its places begin in a row of the table
  };
  std::vector<Part> parts_;
  std::size_t row_ = 0;
  // By rank and place: what its partners there save because they are not further away.
  std::vector<double> saved_;
  std::vector<double> far_;  // by rank: what its partners cost if all are as far as can be
  mutable std::int64_t steps_ = 0;
};

}  // namespace mpisee_through
