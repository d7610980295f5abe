#include "placement/starts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <tuple>

#include "placement/scotch.hpp"
#include "summary/simple_placements.hpp"

namespace mpisee_through {
namespace {

constexpr std::size_t most_ranks_to_gather = 4096;
// Scotch takes minutes for 1,000 ranks that all communicate with each other, so it gets only the costliest partners of
// each rank. The swaps afterwards consider all partners.
constexpr std::size_t most_partners = 32;

// The machine's tree, padded so that all places of a level have the same number of places inside.
ScotchTree tree_of(Machine const& machine, Costs const& costs) {
  ScotchTree tree;
  std::size_t const slots = machine.slots().size();
  std::vector<std::int32_t> number(slots, 0);
  double const most = costs.per_unit(machine.levels() - 1);
  // Numbers the children of each place: in a place at level + 1, the places at `level`; in a place at level 0, the
  // slots.
  for (std::size_t level = machine.levels(); level-- > 0;) {
    std::vector<std::int32_t> child(slots, 0);
    std::int32_t widest = 1;
    for (SlotIndex slot = 1; slot < slots; ++slot) {
      std::size_t const shared = machine.level_between(slot - 1, slot);
      bool const in_same_place = shared <= level;
      bool const in_same_child = level > 0 && shared < level;
      child[slot] = !in_same_place ? 0 : child[slot - 1] + (in_same_child ? 0 : 1);
      widest = std::max(widest, child[slot] + 1);
    }
    if (widest == 1) continue;
    for (SlotIndex slot = 0; slot < slots; ++slot) number[slot] = number[slot] * widest + child[slot];
    tree.children.push_back(widest);
    double const cost = most > 0 ? costs.per_unit(level) / most * 1000 : 0;
    tree.costs.push_back(std::max(1, static_cast<std::int32_t>(std::lround(cost))));
  }
  tree.leaves = std::move(number);
  return tree;
}

struct Edge {
  std::uint32_t from, to;
  double cost;
};

// Each edge from both of its ends, sorted by from and to.
std::vector<Edge> edges_of(Work const& work, Machine const& machine, Costs const& costs) {
  std::size_t const far = machine.levels() - 1;
  std::vector<Edge> edges;
  for (std::uint32_t rank = 0; rank < work.ranks(); ++rank) {
    std::vector<Edge> own;
    for (Partner const& one : work.of(rank)) own.push_back({rank, one.rank, costs.of(far, one.messages, one.bytes)});
    if (own.size() > most_partners) {
      // Prefers, among equally costly partners, those with a higher rank: neighbours in rank then stay together.
      std::stable_partition(own.begin(), own.end(), [&](Edge const& edge) { return edge.to > rank; });
      std::ranges::stable_sort(own, std::ranges::greater(), &Edge::cost);
      own.resize(most_partners);
    }
    for (Edge const& edge : own) {
      edges.push_back(edge);
      edges.push_back({edge.to, edge.from, edge.cost});
    }
  }
  auto const ends = [](Edge const& edge) { return std::pair(edge.from, edge.to); };
  std::ranges::sort(edges, {}, ends);
  auto const is_same = [&](Edge const& a, Edge const& b) { return ends(a) == ends(b); };
  edges.erase(std::unique(edges.begin(), edges.end(), is_same), edges.end());
  return edges;
}

// Scales the weights, because Scotch adds them up in 32 bits.
ScotchGraph graph_of(Work const& work, Machine const& machine, Costs const& costs) {
  std::vector<Edge> const edges = edges_of(work, machine, costs);
  double sum = 0;
  for (Edge const& edge : edges) sum += edge.cost;
  // Leaves room for the sum times the highest cost in the tree.
  double const scale = sum > 0 ? 1.5e6 / sum : 0;
  ScotchGraph graph;
  graph.first.push_back(0);
  auto edge = edges.begin();
  for (std::size_t rank = 0; rank < machine.slots().size(); ++rank) {
    for (; edge != edges.end() && edge->from == rank; ++edge) {
      graph.neighbours.push_back(static_cast<std::int32_t>(edge->to));
      graph.weights.push_back(std::max(1, static_cast<std::int32_t>(std::lround(edge->cost * scale))));
    }
    graph.first.push_back(static_cast<std::int32_t>(graph.neighbours.size()));
  }
  return graph;
}

// Gives each rank a slot of its own: the wanted one, or a free one as near to it as possible.
Placement one_a_slot(std::vector<std::uint32_t> const& wanted, Machine const& machine) {
  constexpr auto nobody = std::numeric_limits<std::uint32_t>::max();
  std::size_t const slots = machine.slots().size();
  std::vector<std::uint32_t> rank_at(slots, nobody);
  Placement placement(slots);
  std::vector<std::uint32_t> homeless;
  for (std::uint32_t rank = 0; rank < slots; ++rank) {
    if (rank_at[wanted[rank]] == nobody) {
      rank_at[wanted[rank]] = rank;
      placement[rank] = wanted[rank];
    } else {
      homeless.push_back(rank);
    }
  }
  for (std::size_t level = 0; level < machine.levels() && !homeless.empty(); ++level) {
    std::vector<std::uint32_t> still;
    std::vector<SlotIndex> next_free(slots, 0);  // by a place's first slot: where the search for a free slot goes on
    for (std::uint32_t const rank : homeless) {
      Machine::Range const range = machine.place_of(wanted[rank], level);
      SlotIndex& slot = next_free[range.begin];
      slot = std::max(slot, range.begin);
      while (slot < range.end && rank_at[slot] != nobody) ++slot;
      if (slot == range.end) {
        still.push_back(rank);
        continue;
      }
      rank_at[slot] = rank;
      placement[rank] = slot;
    }
    homeless = std::move(still);
  }
  return placement;
}

class Gatherer {
 public:
  Gatherer(Work const& work, Machine const& machine, Costs const& costs)
      : work_(work), machine_(machine), costs_(costs), placement_(machine.slots().size()) {}

  Placement run() {
    std::vector<std::uint32_t> all(placement_.size());
    std::iota(all.begin(), all.end(), 0U);
    divide(std::move(all), {0, static_cast<SlotIndex>(placement_.size())}, machine_.levels() - 1);
    return placement_;
  }

 private:
  // Distributes the ranks over the places inside the range, which is one place of that level.
  void divide(std::vector<std::uint32_t> ranks, Machine::Range range, std::size_t level) {
    if (level == 0 || range.size() == 1) {
      for (SlotIndex slot = range.begin; slot < range.end; ++slot) placement_[ranks[slot - range.begin]] = slot;
      return;
    }
    if (machine_.place_of(range.begin, level - 1).size() == range.size())
      return divide(std::move(ranks), range, level - 1);
    std::vector<bool> is_here(placement_.size(), false);
    for (std::uint32_t const rank : ranks) is_here[rank] = true;
    for (SlotIndex begin = range.begin; begin < range.end;) {
      Machine::Range const inner = machine_.place_of(begin, level - 1);
      divide(take(ranks, inner.size(), is_here), inner, level - 1);
      begin = inner.end;
    }
  }

  [[nodiscard]] double weight(Partner const& partner) const {
    return costs_.of(machine_.levels() - 1, partner.messages, partner.bytes);
  }

  // Removes from `ranks` that many ranks that communicate much with each other.
  std::vector<std::uint32_t> take(std::vector<std::uint32_t>& ranks, std::size_t number, std::vector<bool>& is_here) {
    std::vector<double> with_taken(placement_.size(), 0), with_rest(placement_.size(), 0);
    for (std::uint32_t const rank : ranks)
      for (Partner const& partner : work_.of(rank))
        if (is_here[partner.rank]) with_rest[rank] += weight(partner);
    std::vector<std::uint32_t> taken;
    while (taken.size() < number) {
      auto const best = std::ranges::max_element(ranks, [&](std::uint32_t left, std::uint32_t right) {
        // Breaks ties by the rank that communicates least with the remaining ranks.
        auto const rank_of = [&](std::uint32_t rank) {
          return std::tuple(is_here[rank], with_taken[rank], taken.empty() ? with_rest[rank] : -with_rest[rank]);
        };
        return rank_of(left) < rank_of(right);
      });
      std::uint32_t const rank = *best;
      is_here[rank] = false;
      taken.push_back(rank);
      for (Partner const& partner : work_.of(rank)) {
        with_taken[partner.rank] += weight(partner);
        with_rest[partner.rank] -= weight(partner);
      }
    }
    std::erase_if(ranks, [&](std::uint32_t rank) { return !is_here[rank]; });
    return taken;
  }

  Work const& work_;
  Machine const& machine_;
  Costs const& costs_;
  Placement placement_;
};

std::vector<std::size_t> room_of(Machine const& machine) {
  std::vector<std::size_t> room;
  for (std::size_t host = 0; host < machine.hosts().size(); ++host) room.push_back(machine.slots_of(host));
  return room;
}

// Gives each rank the next free slot of its host.
Placement on_slots(Machine const& machine, std::vector<std::size_t> const& host_of_rank) {
  std::vector<std::uint32_t> taken(machine.hosts().size(), 0);
  Placement placement;
  for (std::size_t const host : host_of_rank) placement.push_back(machine.slot(host, taken[host]++));
  return placement;
}

}  // namespace

Placement in_blocks(Machine const& machine) { return on_slots(machine, dealt_in_blocks(room_of(machine))); }

Placement in_turn(Machine const& machine) { return on_slots(machine, dealt_in_turn(room_of(machine))); }

std::optional<Placement> gathered(Work const& work, Machine const& machine, Costs const& costs) {
  if (machine.slots().size() > most_ranks_to_gather) return std::nullopt;
  return Gatherer(work, machine, costs).run();
}

std::optional<Placement> by_scotch(Work const& work, Machine const& machine, Costs const& costs, int seed) {
  ScotchTree const tree = tree_of(machine, costs);
  if (tree.children.empty() || work.arcs() == 0) return std::nullopt;
  auto const leaves = map_by_scotch(graph_of(work, machine, costs), tree, seed);
  if (!leaves) return std::nullopt;
  return one_a_slot(*leaves, machine);
}

void put(Placement& placement, std::vector<std::optional<SlotIndex>> const& wanted) {
  std::vector<std::uint32_t> rank_at(placement.size());
  for (std::uint32_t rank = 0; rank < placement.size(); ++rank) rank_at[placement[rank]] = rank;
  for (std::uint32_t rank = 0; rank < wanted.size(); ++rank) {
    if (!wanted[rank] || placement[rank] == *wanted[rank]) continue;
    std::uint32_t const other = rank_at[*wanted[rank]];
    std::swap(placement[rank], placement[other]);
    rank_at[placement[rank]] = rank;
    rank_at[placement[other]] = other;
  }
}

}  // namespace mpisee_through
