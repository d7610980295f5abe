#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "placement/search.hpp"

namespace mpisee_through {
namespace {

// A search ends after this many partners looked at, or links of routes passed; 10^8 take some seconds.
constexpr std::int64_t most_partners_looked_at = 120'000'000, most_links_passed = 30'000'000;
// Limits of one step: the partners that a rank is moved towards, or the ranks with messages on the busiest link, and
// the slots tried for each of them.
constexpr std::size_t most_ranks = 24, most_slots_near = 64, most_slots_by_links = 512;
constexpr int most_rounds = 40;

class Swaps {
 public:
  Swaps(Placement& placement, SearchInput const& input, std::int64_t most_steps)
      : placement_(placement),
        work_(input.work),
        machine_(input.machine),
        costs_(input.costs),
        most_steps_(most_steps),
        rank_at_(placement.size()) {
    for (std::uint32_t rank = 0; rank < placement.size(); ++rank) rank_at_[placement[rank]] = rank;
  }

 protected:
  [[nodiscard]] bool has_time() const { return steps_ < most_steps_; }

  void swap(std::uint32_t one, std::uint32_t other) {
    std::swap(placement_[one], placement_[other]);
    rank_at_[placement_[one]] = one;
    rank_at_[placement_[other]] = other;
  }

  Placement& placement_;
  Work const& work_;
  Machine const& machine_;
  Costs const& costs_;
  std::int64_t most_steps_, steps_ = 0;
  std::vector<std::uint32_t> rank_at_;
};

class CostSwaps : Swaps {
 public:
  CostSwaps(Placement& placement, SearchInput const& input) : Swaps(placement, input, most_partners_looked_at) {}

  std::int64_t run() {
    for (int round = 0; round < most_rounds && has_time(); ++round) {
      bool has_improved = false;
      for (std::uint32_t rank = 0; rank < work_.ranks() && has_time(); ++rank) has_improved |= improve(rank);
      if (!has_improved) break;
    }
    return steps_;
  }

 private:
  // Tries the slots near the partners whose messages cost most.
  bool improve(std::uint32_t rank) {
    std::vector<std::pair<double, std::uint32_t>> partners;  // with their costs
    for (Partner const& partner : work_.of(rank)) {
      double const cost = costs_.of(machine_.level_between(placement_[rank], placement_[partner.rank]), partner);
      if (cost > costs_.of(core_level, partner)) partners.emplace_back(cost, partner.rank);
    }
    std::ranges::stable_sort(partners, std::ranges::greater(), &std::pair<double, std::uint32_t>::first);
    if (partners.size() > most_ranks) partners.resize(most_ranks);
    bool has_improved = false;
    for (auto const& [cost, partner] : partners) has_improved |= swap_towards(rank, partner);
    return has_improved;
  }

  bool swap_towards(std::uint32_t rank, std::uint32_t partner) {
    SlotIndex const here = placement_[rank];
    Machine::Range const range = around(placement_[partner], machine_.level_between(here, placement_[partner]));
    double const now = cost_at(rank, here, rank);
    double best_gain = std::abs(now) * 1e-12;  // a smaller one may be a rounding error of the sums
    SlotIndex best = here;
    for (SlotIndex slot = range.begin; slot < range.end; ++slot) {
      std::uint32_t const other = rank_at_[slot];
      if (other == partner || other == rank) continue;
      double const gain = now - cost_at(rank, slot, other) + cost_at(other, slot, other) - cost_at(other, here, rank);
      if (gain > best_gain) best_gain = gain, best = slot;
    }
    if (best == here) return false;
    swap(rank, rank_at_[best]);
    return true;
  }

  // The cost of a rank's messages if it changes slots with the rank `other`, which is in that slot; `other` may be the
  // rank itself.
  double cost_at(std::uint32_t rank, SlotIndex slot, std::uint32_t other) {
    steps_ += static_cast<std::int64_t>(work_.of(rank).size()) + 1;
    double cost = 0;
    for (Partner const& partner : work_.of(rank)) {
      SlotIndex const there = placement_[partner.rank == other ? rank : partner.rank];
      cost += costs_.of(machine_.level_between(slot, there), partner);
    }
    return cost;
  }

  // The largest place around a slot that is inside the given level and not too large.
  [[nodiscard]] Machine::Range around(SlotIndex slot, std::size_t level) const {
    Machine::Range range = machine_.place_of(slot, core_level);
    for (std::size_t inner = 0; inner < level; ++inner) {
      Machine::Range const next = machine_.place_of(slot, inner);
      if (next.size() > most_slots_near && range.size() > 1) break;
      range = next;
    }
    if (range.size() <= 4 * most_slots_near) return range;
    SlotIndex const begin = std::max(range.begin, slot - std::min(slot, static_cast<SlotIndex>(2 * most_slots_near)));
    return {begin, std::min(range.end, static_cast<SlotIndex>(begin + 4 * most_slots_near))};
  }
};

class LinkSwaps : Swaps {
 public:
  LinkSwaps(Placement& placement, SearchInput const& input)
      : Swaps(placement, input, most_links_passed),
        routes_(*input.routes),
        bytes_(routes_.fabric().links.size(), 0),
        change_(bytes_.size(), 0) {
    for (std::uint32_t rank = 0; rank < work_.ranks(); ++rank)
      for (Partner const& partner : work_.of(rank)) change(placement[rank], placement[partner.rank], partner.sent, 1);
    apply_change();
  }

  std::int64_t run() {
    while (has_time() && relieve_busiest()) {
    }
    return steps_;
  }

 private:
  struct Outcome {
    double most = 0;  // highest load of a link whose load changes
    double sum = 0;   // change of the sum of all loads
    auto operator<=>(Outcome const&) const = default;
  };

  [[nodiscard]] double load(std::size_t link, std::int64_t bytes) const {
    return static_cast<double>(bytes) * routes_.load_of_byte(LinkIndex{static_cast<std::uint32_t>(link)});
  }

  bool relieve_busiest() {
    std::size_t busiest = 0;
    most_ = 0;
    for (std::size_t link = 0; link < bytes_.size(); ++link)
      if (bytes_[link] > 0 && load(link, bytes_[link]) > most_) busiest = link, most_ = load(link, bytes_[link]);
    steps_ += static_cast<std::int64_t>(bytes_.size());
    if (most_ <= 0) return false;
    std::vector<std::uint32_t> const ranks = ranks_on(LinkIndex{static_cast<std::uint32_t>(busiest)});
    return std::ranges::any_of(ranks, [&](std::uint32_t rank) { return swap_away(rank, busiest); });
  }

  // The ranks whose messages pass the link, in descending order of these bytes.
  std::vector<std::uint32_t> ranks_on(LinkIndex link) {
    std::vector<std::uint64_t> bytes(work_.ranks(), 0);
    for (std::uint32_t rank = 0; rank < work_.ranks(); ++rank) {
      for (Partner const& partner : work_.of(rank)) {
        auto const way = routes_.between(placement_[rank], placement_[partner.rank]);
        steps_ += static_cast<std::int64_t>(way.size());
        if (std::ranges::find(way, link) == way.end()) continue;
        bytes[rank] += partner.sent.bytes;
        bytes[partner.rank] += partner.sent.bytes;
      }
    }
    std::vector<std::uint32_t> ranks;
    for (std::uint32_t rank = 0; rank < bytes.size(); ++rank)
      if (bytes[rank] > 0) ranks.push_back(rank);
    std::ranges::stable_sort(ranks, std::greater<>(), [&](std::uint32_t rank) { return bytes[rank]; });
    if (ranks.size() > most_ranks) ranks.resize(most_ranks);
    return ranks;
  }

  // Makes the best swap of this rank that relieves the busiest link and loads no other link as much.
  bool swap_away(std::uint32_t rank, std::size_t busiest) {
    // Sums of many numbers differ in their last digits.
    Outcome best{most_ * (1 - 1e-12), -1};
    SlotIndex const here = placement_[rank];
    SlotIndex best_slot = here;
    for (SlotIndex const slot : slots_for(rank)) {
      if (machine_.slots()[slot].host == machine_.slots()[here].host) continue;
      change_by_swap(rank, rank_at_[slot]);
      Outcome const outcome = outcome_of_change();
      if (change_[busiest] < 0 && outcome < best) best = outcome, best_slot = slot;
      forget_change();
      if (!has_time()) break;
    }
    if (best_slot == here) return false;
    change_by_swap(rank, rank_at_[best_slot]);
    apply_change();
    swap(rank, rank_at_[best_slot]);
    return true;
  }

  // The slots to try: all of a small machine; of a large one, slots on the hosts of partners and some evenly spaced
  // ones.
  [[nodiscard]] std::vector<SlotIndex> slots_for(std::uint32_t rank) const {
    std::size_t const all = placement_.size();
    std::vector<SlotIndex> slots;
    std::size_t const step = all <= most_slots_by_links ? 1 : all / (most_slots_by_links / 2);
    for (Partner const& partner : work_.of(rank)) {
      if (step == 1) break;
      Machine::Range const host = machine_.place_of(placement_[partner.rank], host_level);
      for (SlotIndex slot = host.begin; slot < host.end && slots.size() < most_slots_by_links / 2; ++slot)
        slots.push_back(slot);
    }
    std::ranges::sort(slots);
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    for (std::size_t slot = rank % step; slot < all; slot += step) slots.push_back(static_cast<SlotIndex>(slot));
    return slots;
  }

  void change_by_swap(std::uint32_t one, std::uint32_t other) {
    for (auto const& [rank, to] : {std::pair(one, other), std::pair(other, one)}) {
      SlotIndex const here = placement_[rank], there = placement_[to];
      for (Partner const& partner : work_.of(rank)) {
        if (partner.rank == to && rank == other) continue;  // counted from the other side
        SlotIndex const now = placement_[partner.rank], then = partner.rank == to ? here : now;
        change(here, now, partner.sent, -1);
        change(now, here, partner.received, -1);
        change(there, then, partner.sent, 1);
        change(then, there, partner.received, 1);
      }
    }
  }

  void change(SlotIndex from, SlotIndex to, Amount const& amount, std::int64_t sign) {
    if (amount.bytes == 0) return;
    auto const way = routes_.between(from, to);
    steps_ += static_cast<std::int64_t>(way.size()) + 1;
    for (LinkIndex const link : way) {
      auto const index = static_cast<std::size_t>(link);
      change_[index] += sign * static_cast<std::int64_t>(amount.bytes);
      changed_.push_back(index);
    }
  }

  [[nodiscard]] Outcome outcome_of_change() {
    std::ranges::sort(changed_);
    changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
    Outcome outcome;
    for (std::size_t const link : changed_) {
      if (change_[link] == 0) continue;
      outcome.most = std::max(outcome.most, load(link, bytes_[link] + change_[link]));
      outcome.sum += load(link, change_[link]);
    }
    return outcome;
  }

  void forget_change() {
    for (std::size_t const link : changed_) change_[link] = 0;
    changed_.clear();
  }

  void apply_change() {
    for (std::size_t const link : changed_) bytes_[link] += std::exchange(change_[link], 0);
    changed_.clear();
  }

  SlotRoutes& routes_;
  std::vector<std::int64_t> bytes_;   // bytes on each link
  std::vector<std::int64_t> change_;  // change of the bytes on each link
  std::vector<std::size_t> changed_;  // links with a change
  double most_ = 0;
};

}  // namespace

std::int64_t lower_cost(Placement& placement, SearchInput const& input) { return CostSwaps(placement, input).run(); }

std::int64_t relieve_links(Placement& placement, SearchInput const& input) { return LinkSwaps(placement, input).run(); }

}  // namespace mpisee_through
