#include "placement/nearness.hpp"

#include <algorithm>

namespace mpisee_through {
namespace {

constexpr std::size_t most_numbers = std::size_t{1} << 26;  // 512 MiB

}  // namespace

Nearness::Nearness(Work const& work, Machine const& machine, Costs const& costs, Placement const& placement)
    : work_(work), machine_(machine), costs_(costs), placement_(placement) {
  std::size_t const last = machine.levels() - 1;
  for (std::size_t level = 0; level < last; ++level) {
    auto const& places = machine.places(level);
    if (places.size() == machine.slots().size()) continue;
    if (level > 0 && places.size() == machine.places(level - 1).size()) continue;
    if (!parts_.empty()) parts_.back().outer = level;
    parts_.push_back({level, last, row_});
    row_ += places.size();
  }
  if (row_ * work.ranks() > most_numbers) row_ = 0;
  if (!has_table()) return;
  saved_.resize(row_ * work.ranks());
  far_.resize(work.ranks());
  for (std::uint32_t rank = 0; rank < work.ranks(); ++rank) {
    for (Partner const& partner : work.of(rank)) far_[rank] += costs.of(last, partner.messages, partner.bytes);
    add(rank, placement[rank], 1);
  }
}

double Nearness::cost_at(std::uint32_t rank, SlotIndex slot) const {
  if (rank >= work_.ranks()) return 0;
  double cost = 0;
  if (has_table()) {
    steps_ += static_cast<std::int64_t>(parts_.size()) + 1;
    cost = far_[rank];
    double const* const saved = &saved_[rank * row_];
    for (Part const& part : parts_) cost -= saved[part.first + machine_.number_of_place(slot, part.level)];
    return cost;
  }
  steps_ += static_cast<std::int64_t>(work_.of(rank).size()) + 1;
  for (Partner const& partner : work_.of(rank))
    cost += costs_.of(machine_.level_between(slot, placement_[partner.rank]), partner.messages, partner.bytes);
  return cost;
}

std::size_t Nearness::level_in_slot(SlotIndex slot) const {
  std::size_t const known = machine_.known_from(slot);
  if (!has_table()) return known;
  return parts_.empty() ? machine_.levels() - 1 : std::max(parts_.front().level, known);
}

void Nearness::moved(std::uint32_t rank, SlotIndex from, SlotIndex to) {
  if (!has_table()) return;
  add(rank, from, -1);
  add(rank, to, 1);
}

void Nearness::add(std::uint32_t rank, SlotIndex slot, double sign) {
  steps_ += static_cast<std::int64_t>(work_.of(rank).size() * parts_.size());
  std::size_t const known = machine_.known_from(slot);
  for (Part const& part : parts_) {
    std::size_t const column = part.first + machine_.number_of_place(slot, part.level);
    for (Partner const& partner : work_.of(rank)) {
      double const saves = costs_.of(std::max(part.outer, known), partner.messages, partner.bytes) -
                           costs_.of(std::max(part.level, known), partner.messages, partner.bytes);
      saved_[partner.rank * row_ + column] += sign * saves;
    }
  }
}

}  // namespace mpisee_through
