#include "placement/swaps.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "placement/nearness.hpp"

namespace mpisee_through {
namespace {

// The search ends after this many numbers read or written; 10^9 take some seconds.
constexpr std::int64_t most_steps = 120'000'000;
// Limits of one step: the partners that a rank is moved towards, and the slots tried near each partner.
constexpr std::size_t most_swap_partners = 24;
constexpr std::size_t most_swap_slots = 64;
constexpr int most_rounds = 40;

class Swaps {
 public:
  Swaps(Placement& placement, Work const& work, Machine const& machine, Costs const& costs,
        std::vector<bool> const& fixed)
      : placement_(placement),
        work_(work),
        machine_(machine),
        costs_(costs),
        fixed_(fixed),
        rank_at_(placement.size()),
        nearness_(work, machine, costs, placement) {
    for (std::uint32_t rank = 0; rank < placement.size(); ++rank) rank_at_[placement[rank]] = rank;
  }

  void run() {
    for (int round = 0; round < most_rounds && has_time(); ++round) {
      bool has_improved = false;
      for (std::uint32_t rank = 0; rank < work_.ranks() && has_time(); ++rank)
        if (!fixed_[rank]) has_improved |= improve(rank);
      if (!has_improved) return;
    }
  }

 private:
  [[nodiscard]] bool has_time() const { return nearness_.steps() < most_steps; }

  // Tries the slots near the partners whose messages cost most.
  bool improve(std::uint32_t rank) {
    struct Wish {
      double cost;
      std::uint32_t partner;
    };
    std::vector<Wish> wishes;
    SlotIndex const here = placement_[rank];
    for (Partner const& partner : work_.of(rank)) {
      std::size_t const level = machine_.level_between(here, placement_[partner.rank]);
      double const cost = costs_.of(level, partner.messages, partner.bytes);
      if (cost > costs_.of(0, partner.messages, partner.bytes)) wishes.push_back({cost, partner.rank});
    }
    std::ranges::stable_sort(wishes, std::ranges::greater(), &Wish::cost);
    if (wishes.size() > most_swap_partners) wishes.resize(most_swap_partners);
    bool has_improved = false;
    for (Wish const& wish : wishes) has_improved |= swap_towards(rank, wish.partner);
    return has_improved;
  }

  bool swap_towards(std::uint32_t rank, std::uint32_t partner) {
    SlotIndex const here = placement_[rank];
    Machine::Range const range = around(placement_[partner], machine_.level_between(here, placement_[partner]));
    double const now = nearness_.cost_at(rank, here);
    double best_gain = least_gain(now);
    SlotIndex best = here;
    for (SlotIndex slot = range.begin; slot < range.end; ++slot) {
      std::uint32_t const other = rank_at_[slot];
      if (other == partner || other == rank || fixed_[other]) continue;
      double const gain = now - nearness_.cost_at(rank, slot) + nearness_.cost_at(other, slot) -
                          nearness_.cost_at(other, here) - too_much(rank, other, here, slot);
      if (gain > best_gain) best_gain = gain, best = slot;
    }
    if (best == here) return false;
    swap(rank, rank_at_[best]);
    return true;
  }

  // The part of the computed gain that a swap of two partners does not have: it does not change what the partners cost
  // each other, but each cost_at() assumes that the other partner stays.
  [[nodiscard]] double too_much(std::uint32_t rank, std::uint32_t other, SlotIndex here, SlotIndex slot) const {
    auto const partners = work_.of(rank);
    auto const one = std::ranges::lower_bound(partners, other, {}, &Partner::rank);
    if (one == partners.end() || one->rank != other) return 0;
    auto const cost = [&](std::size_t level) { return costs_.of(level, one->messages, one->bytes); };
    return 2 * cost(machine_.level_between(here, slot)) - cost(nearness_.level_in_slot(here)) -
           cost(nearness_.level_in_slot(slot));
  }

  // The largest place around a slot that is inside the given level and not too large.
  [[nodiscard]] Machine::Range around(SlotIndex slot, std::size_t level) const {
    Machine::Range range = machine_.place_of(slot, core_level);
    for (std::size_t inner = 0; inner < level; ++inner) {
      Machine::Range const next = machine_.place_of(slot, inner);
      if (next.size() > most_swap_slots && range.size() > 1) break;
      range = next;
    }
    if (range.size() <= 4 * most_swap_slots) return range;
    SlotIndex const begin = std::max(range.begin, slot - std::min(slot, static_cast<SlotIndex>(2 * most_swap_slots)));
    return {begin, std::min(range.end, static_cast<SlotIndex>(begin + 4 * most_swap_slots))};
  }

  // The least gain worth a swap: a smaller one may be a rounding error of the sums.
  [[nodiscard]] static double least_gain(double now) { return std::abs(now) * 1e-12; }

  void swap(std::uint32_t one, std::uint32_t other) {
    std::swap(placement_[one], placement_[other]);
    nearness_.moved(one, placement_[other], placement_[one]);
    nearness_.moved(other, placement_[one], placement_[other]);
    rank_at_[placement_[one]] = one;
    rank_at_[placement_[other]] = other;
  }

  Placement& placement_;
  Work const& work_;
  Machine const& machine_;
  Costs const& costs_;
  std::vector<bool> const& fixed_;
  std::vector<std::uint32_t> rank_at_;
  Nearness nearness_;
};

}  // namespace

void improve_by_swaps(Placement& placement, Work const& work, Machine const& machine, Costs const& costs,
                      std::vector<bool> const& fixed) {
  Swaps(placement, work, machine, costs, fixed).run();
}

}  // namespace mpisee_through
