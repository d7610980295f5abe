#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "placement/effects.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {
namespace {

constexpr int scotch_seeds = 6;
constexpr double as_good = 1.01;  // loads of the busiest link that count as equal to the lowest
// Swaps of one placement end after this many partners looked at; 10^8 take some seconds. A limit of time would make the
// result depend on the machine's speed.
constexpr std::int64_t most_partners_looked_at = 120'000'000;
// The partners that a rank is moved towards, the costliest ones, and the slots tried on either side of each.
constexpr std::size_t most_partners_tried = 24, most_slots_tried = 128;

// Gives each rank the next free slot of its host.
Placement on_slots(Machine const& machine, std::vector<std::size_t> const& host_of_rank) {
  std::vector<std::uint32_t> taken(machine.hosts().size(), 0);
  Placement placement;
  for (std::size_t const host : host_of_rank) placement.push_back(machine.slot(host, taken[host]++));
  return placement;
}

// Swaps two ranks as long as that lowers the cost. An empty slot is swapped like a rank.
class Swaps {
 public:
  Swaps(SearchInput const& input, Placement placement)
      : input_(input), placement_(std::move(placement)), rank_at_(placement_.size()) {
    for (std::uint32_t rank = 0; rank < placement_.size(); ++rank) rank_at_[placement_[rank]] = rank;
  }

  Placement run() {
    for (bool has_improved = true; has_improved && looked_at_ < most_partners_looked_at;) {
      has_improved = false;
      for (std::uint32_t rank = 0; rank < input_.work.ranks() && looked_at_ < most_partners_looked_at; ++rank)
        has_improved |= improve(rank);
    }
    return std::move(placement_);
  }

 private:
  [[nodiscard]] double cost_between(SlotIndex one, SlotIndex other, Partner const& partner) const {
    return cost_of_level(input_.machine.level_between(one, other)) * partner.exchanged(input_.weight);
  }

  // Moves the rank towards the partners whose messages cost most.
  bool improve(std::uint32_t rank) {
    std::vector<std::pair<double, std::uint32_t>> partners;  // with their costs
    for (Partner const& partner : input_.work.of(rank))
      if (double const cost = cost_between(placement_[rank], placement_[partner.rank], partner); cost > 0)
        partners.emplace_back(cost, partner.rank);
    std::ranges::stable_sort(partners, std::ranges::greater(), &std::pair<double, std::uint32_t>::first);
    if (partners.size() > most_partners_tried) partners.resize(most_partners_tried);
    bool has_improved = false;
    for (auto const& [cost, partner] : partners) has_improved |= swap_towards(rank, partner);
    return has_improved;
  }

  // Tries the slots around the partner that are nearer to it than the rank is.
  bool swap_towards(std::uint32_t rank, std::uint32_t partner) {
    SlotIndex const here = placement_[rank], there = placement_[partner];
    std::size_t const level = input_.machine.level_between(here, there);
    if (level == core_level) return false;
    Machine::Range const nearer = input_.machine.place_of(there, level - 1);
    double const now = cost_at(rank, here, rank);
    double best_gain = 0;
    SlotIndex best = here;
    for (std::size_t slot = std::max<std::size_t>(nearer.begin, there - std::min<std::size_t>(there, most_slots_tried));
         slot < std::min<std::size_t>(nearer.end, there + most_slots_tried); ++slot) {
      std::uint32_t const other = rank_at_[slot];
      if (other == partner || other == rank) continue;
      auto const index = static_cast<SlotIndex>(slot);
      double const gain = now - cost_at(rank, index, other) + cost_at(other, index, other) - cost_at(other, here, rank);
      if (gain > best_gain) best_gain = gain, best = index;
    }
    if (best == here) return false;
    std::uint32_t const other = rank_at_[best];
    std::swap(placement_[rank], placement_[other]);
    std::swap(rank_at_[here], rank_at_[best]);
    return true;
  }

  // The cost of a rank's messages if it changes slots with the rank `other`, which is in that slot; `other` may be the
  // rank itself.
  double cost_at(std::uint32_t rank, SlotIndex slot, std::uint32_t other) {
    looked_at_ += static_cast<std::int64_t>(input_.work.of(rank).size()) + 1;
    double cost = 0;
    for (Partner const& partner : input_.work.of(rank))
      cost += cost_between(slot, placement_[partner.rank == other ? rank : partner.rank], partner);
    return cost;
  }

  SearchInput const& input_;
  Placement placement_;
  std::vector<std::uint32_t> rank_at_;
  std::int64_t looked_at_ = 0;
};

struct Candidate {
  Placement placement;
  double cost, load;  // load: of the busiest link; 0 without links
};

// The cheapest of those whose busiest link has nearly the lowest load, and no more than `limit`.
Candidate& best_of(std::vector<Candidate>& candidates, std::optional<double> limit) {
  double const lowest = std::ranges::min(candidates, {}, &Candidate::load).load * as_good;
  Candidate* best = nullptr;
  for (Candidate& one : candidates)
    if (one.load <= std::min(lowest, limit.value_or(lowest)) && (best == nullptr || one.cost < best->cost)) best = &one;
  return *best;
}

}  // namespace

Placement search_placement(SearchInput const& input) {
  Machine const& machine = input.machine;
  std::vector<Candidate> candidates;
  auto const judge = [&](Placement placement) {
    double const cost = cost_of(input.work, machine, input.weight, placement);
    double const load = input.hosts == nullptr ? 0 : link_effects_of(input.work, machine, *input.hosts, placement).load;
    candidates.push_back({std::move(placement), cost, load});
  };
  auto const begin_with = [&](std::optional<Placement> const& placement) {
    if (!placement || std::ranges::find(candidates, *placement, &Candidate::placement) != candidates.end()) return;
    judge(*placement);
    judge(Swaps(input, *placement).run());
  };
  std::vector<std::size_t> room;
  for (std::size_t host = 0; host < machine.hosts().size(); ++host) room.push_back(machine.slots_of(host));
  // The present placement comes first and wins a tie, so that no rank moves without a gain.
  begin_with(input.now);
  begin_with(on_slots(machine, dealt_in_blocks(room)));
  begin_with(on_slots(machine, dealt_in_turn(room)));
  for (int seed = 1; seed <= scotch_seeds; ++seed) begin_with(map_by_scotch(input, 2 * seed - 1));  // 2 equals 3, …
  return best_of(candidates, input.now ? std::optional(candidates.front().load) : std::nullopt).placement;
}

}  // namespace mpisee_through
