// Answers quickly what the messages of a rank would cost in any slot. A table keeps sums for each rank and place,
// because adding up the partners of a rank takes long.
#pragma once

#include <cstdint>
#include <vector>

#include "placement/costs.hpp"

namespace mpisee_through {

class Nearness {
 public:
  // Keeps a reference to the placement; the caller may change it and then calls moved().
  Nearness(Work const& work, Machine const& machine, Costs const& costs, Placement const& placement);

  // The cost of a rank's messages if it moves to this slot and its partners stay.
  [[nodiscard]] double cost_at(std::uint32_t rank, SlotIndex slot) const;
  // The level that cost_at() assumes between the rank and a partner in this very slot.
  [[nodiscard]] std::size_t level_in_slot(SlotIndex slot) const;
  // Must be called after each change of a rank's slot.
  void moved(std::uint32_t rank, SlotIndex from, SlotIndex to);
  // The count of numbers read or written.
  [[nodiscard]] std::int64_t steps() const { return steps_; }

 private:
  void add(std::uint32_t rank, SlotIndex slot, double sign);
  // False if the table would be too large: cost_at() then adds up the partners.
  [[nodiscard]] bool has_table() const { return row_ > 0; }

  Work const& work_;
  Machine const& machine_;
  Costs const& costs_;
  Placement const& placement_;
  // A level with columns in the table. Levels whose places have one slot, or equal the places of the level inside, have
  // none.
  struct Part {
    std::size_t level;
    std::size_t outer;  // the level of the next Part, or the last level
    std::size_t first;  // the column of its first place in a row of the table
  };
  std::vector<Part> parts_;
  std::size_t row_ = 0;
  // By rank and place: what the rank's partners in that place cost less than partners outside it.
  std::vector<double> saved_;
  std::vector<double> far_;  // by rank: the cost if all partners were as far away as possible
  mutable std::int64_t steps_ = 0;
};

}  // namespace mpisee_through
