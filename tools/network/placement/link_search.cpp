#include "placement/link_search.hpp"

#include <algorithm>
#include <utility>

#include "placement/link_swaps.hpp"
#include "placement/starts.hpp"

namespace mpisee_through {
namespace {

constexpr double as_good = 1.01;

struct Candidate {
  Placement placement;
  double cost;
  LinkEffects links;
};

}  // namespace

LinkEffects choose_by_links(SearchResult& found, SearchInput const& input, std::vector<PairTraffic> const& pairs,
                            Network const& network) {
  SlotRoutes routes(network, input.machine);
  std::vector<bool> fixed(input.machine.slots().size(), false);
  for (std::size_t rank = 0; rank < input.kept.size(); ++rank) fixed[rank] = input.kept[rank].has_value();
  std::vector<Candidate> candidates;
  auto const add = [&](Placement placement) {
    double const cost = cost_of(input.work, input.machine, input.costs, placement);
    LinkEffects const links = link_effects_of(pairs, routes, placement);
    candidates.push_back({std::move(placement), cost, links});
  };
  auto const add_both = [&](char const* name, Placement placement) {
    put(placement, input.kept);
    add(placement);
    relieve_links(placement, pairs, input.machine, routes, fixed);
    add(std::move(placement));
    Candidate const &start = candidates[candidates.size() - 2], &relieved = candidates.back();
    found.by_links.push_back({name, start.cost, start.links.load, relieved.cost, relieved.links.load});
  };
  // The present placement comes first and wins a tie, so that no rank moves without a gain.
  if (input.now) add_both("now", *input.now);
  add_both("least cost", found.placement);
  add_both("blocks", in_blocks(input.machine));
  add_both("round robin", in_turn(input.machine));

  auto const load = [](Candidate const& one) { return one.links.load; };
  double limit = load(std::ranges::min(candidates, {}, load)) * as_good;
  if (input.now) limit = std::min(limit, load(candidates.front()));
  Candidate const* best = nullptr;
  for (Candidate const& one : candidates) {
    // Rounding makes equal sums differ in the last digits.
    bool const is_cheaper = best == nullptr || one.cost < best->cost * (1 - 1e-12);
    if (load(one) <= limit && is_cheaper) best = &one;
  }
  found.placement = best->placement;
  found.cost = best->cost;
  return best->links;
}

}  // namespace mpisee_through
