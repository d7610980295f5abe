#include "placement/link_swaps.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace mpisee_through {
namespace {

// The search ends after this many links of routes; 10^8 take some seconds.
constexpr std::int64_t most_links_passed = 30'000'000;
// Limits of one step: the ranks with messages on the busiest link, and the slots tried for each rank.
constexpr std::size_t most_ranks_of_link = 24;
constexpr std::size_t most_slots_tried = 512;

class LinkSwaps {
 public:
  LinkSwaps(Placement& placement, std::vector<PairTraffic> const& pairs, Machine const& machine, SlotRoutes& routes,
            std::vector<bool> const& fixed)
      : placement_(placement),
        machine_(machine),
        routes_(routes),
        fixed_(fixed),
        rank_at_(placement.size()),
        flows_(placement.size()),
        bytes_(routes.fabric().links.size(), 0),
        change_(bytes_.size(), 0) {
    for (std::uint32_t rank = 0; rank < placement.size(); ++rank) rank_at_[placement[rank]] = rank;
    for (PairTraffic const& pair : pairs) {
      if (pair.from == other_world || pair.to == other_world || pair.from == pair.to || pair.amount.bytes == 0)
        continue;
      auto const from = static_cast<std::uint32_t>(pair.from), to = static_cast<std::uint32_t>(pair.to);
      auto const bytes = static_cast<std::int64_t>(pair.amount.bytes);
      flows_[from].push_back({to, bytes, true});
      flows_[to].push_back({from, bytes, false});
      change(placement[from], placement[to], bytes);
    }
    apply_change();
  }

  void run() {
    while (steps_ < most_links_passed && relieve_busiest()) {
    }
  }

 private:
  struct Flow {
    std::uint32_t partner;
    std::int64_t bytes;
    bool leaves;  // this rank sends; false: the partner sends
  };
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
    std::vector<std::int64_t> bytes(flows_.size(), 0);
    for (std::uint32_t rank = 0; rank < flows_.size(); ++rank) {
      for (Flow const& flow : flows_[rank]) {
        if (!flow.leaves) continue;
        auto const way = routes_.between(placement_[rank], placement_[flow.partner]);
        steps_ += static_cast<std::int64_t>(way.size());
        if (std::ranges::find(way, link) == way.end()) continue;
        bytes[rank] += flow.bytes;
        bytes[flow.partner] += flow.bytes;
      }
    }
    std::vector<std::uint32_t> ranks;
    for (std::uint32_t rank = 0; rank < bytes.size(); ++rank)
      if (bytes[rank] > 0 && !fixed_[rank]) ranks.push_back(rank);
    std::ranges::stable_sort(ranks, std::greater<>(), [&](std::uint32_t rank) { return bytes[rank]; });
    if (ranks.size() > most_ranks_of_link) ranks.resize(most_ranks_of_link);
    return ranks;
  }

  // Makes the best swap of this rank that relieves the busiest link and loads no other link as much.
  bool swap_away(std::uint32_t rank, std::size_t busiest) {
    // Sums of many numbers differ in their last digits.
    Outcome best{most_ * (1 - 1e-12), -1};
    SlotIndex const here = placement_[rank];
    SlotIndex best_slot = here;
    for (SlotIndex const slot : slots_for(rank)) {
      std::uint32_t const other = rank_at_[slot];
      if (fixed_[other] || machine_.slots()[slot].host == machine_.slots()[here].host) continue;
      change_by_swap(rank, other);
      Outcome const outcome = outcome_of_change();
      if (change_[busiest] < 0 && outcome < best) best = outcome, best_slot = slot;
      forget_change();
      if (steps_ >= most_links_passed) break;
    }
    if (best_slot == here) return false;
    std::uint32_t const other = rank_at_[best_slot];
    change_by_swap(rank, other);
    apply_change();
    std::swap(placement_[rank], placement_[other]);
    std::swap(rank_at_[here], rank_at_[best_slot]);
    return true;
  }

  // The slots to try: all of a small machine; of a large one, slots on the hosts of partners and some evenly spaced
  // ones.
  [[nodiscard]] std::vector<SlotIndex> slots_for(std::uint32_t rank) const {
    std::size_t const all = placement_.size();
    std::vector<SlotIndex> slots;
    if (all <= most_slots_tried) {
      for (SlotIndex slot = 0; slot < all; ++slot) slots.push_back(slot);
      return slots;
    }
    for (Flow const& flow : flows_[rank]) {
      Machine::Range const host = machine_.place_of(placement_[flow.partner], host_level);
      for (SlotIndex slot = host.begin; slot < host.end && slots.size() < most_slots_tried / 2; ++slot)
        slots.push_back(slot);
    }
    std::ranges::sort(slots);
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    std::size_t const step = all / (most_slots_tried / 2);
    for (std::size_t slot = rank % step; slot < all; slot += step) slots.push_back(static_cast<SlotIndex>(slot));
    return slots;
  }

  void change_by_swap(std::uint32_t one, std::uint32_t other) {
    change_flows(one, other, true);
    change_flows(other, one, false);
  }

  // Changes the flows of a rank that moves to the slot of another one. with_other: includes the flows between the two.
  void change_flows(std::uint32_t rank, std::uint32_t other, bool with_other) {
    SlotIndex const here = placement_[rank], there = placement_[other];
    for (Flow const& flow : flows_[rank]) {
      if (flow.partner == other && !with_other) continue;
      SlotIndex const partner = placement_[flow.partner];
      SlotIndex const partner_then = flow.partner == other ? here : partner;
      change(flow.leaves ? here : partner, flow.leaves ? partner : here, -flow.bytes);
      change(flow.leaves ? there : partner_then, flow.leaves ? partner_then : there, flow.bytes);
    }
  }

  void change(SlotIndex from, SlotIndex to, std::int64_t bytes) {
    auto const way = routes_.between(from, to);
    steps_ += static_cast<std::int64_t>(way.size()) + 1;
    for (LinkIndex const link : way) {
      auto const index = static_cast<std::size_t>(link);
      change_[index] += bytes;
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

  Placement& placement_;
  Machine const& machine_;
  SlotRoutes& routes_;
  std::vector<bool> const& fixed_;
  std::vector<std::uint32_t> rank_at_;
  std::vector<std::vector<Flow>> flows_;  // by rank
  std::vector<std::int64_t> bytes_;       // bytes on each link
  std::vector<std::int64_t> change_;      // change of the bytes on each link
  std::vector<std::size_t> changed_;      // links with a change
  double most_ = 0;
  std::int64_t steps_ = 0;
};

}  // namespace

void relieve_links(Placement& placement, std::vector<PairTraffic> const& pairs, Machine const& machine,
                   SlotRoutes& routes, std::vector<bool> const& fixed) {
  LinkSwaps(placement, pairs, machine, routes, fixed).run();
}

}  // namespace mpisee_through
