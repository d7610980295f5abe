// Looks for a placement, with the proposals of Scotch, which maps graphs onto machines: see its user's guide, 5.2.3
// (target architectures).
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "placement/effects.hpp"
#include "summary/traffic.hpp"

extern "C" {
#include <scotch.h>
}

namespace mpisee_through {
namespace {

// Vertices are ranks. Each edge is stored at both of its ends.
struct ScotchGraph {
  std::vector<std::int32_t> first;  // index of each vertex's first edge, then the number of edges
  std::vector<std::int32_t> neighbours;
  std::vector<std::int32_t> weights;
};

// A tree in which all nodes of a level have the same number of children. leaves: the usable ones, ascending.
struct ScotchTree {
  std::vector<std::int32_t> children;  // number of children of a node, by level from the root
  std::vector<std::int32_t> costs;     // by level: between two leaves whose ways part there
  std::vector<std::int32_t> leaves;
};

static_assert(std::is_same_v<SCOTCH_Num, std::int32_t>, "this Scotch has numbers of another width");

// Scotch's types are opaque blocks with an init and an exit.
template <class Type, void (*leave)(Type*)>
struct Scoped {
  Scoped() = default;
  Scoped(Scoped const&) = delete;
  Scoped& operator=(Scoped const&) = delete;
  ~Scoped() {
    if (is_ready) leave(&object);
  }
  // error: the return value of Scotch's init function.
  bool ready(int error) { return is_ready = error == 0; }

  Type object{};
  bool is_ready = false;
};

struct Mapper {
  // Each member needs the one before it.
  Scoped<SCOTCH_Graph, SCOTCH_graphExit> graph{};
  Scoped<SCOTCH_Strat, SCOTCH_stratExit> strategy{};
  Scoped<SCOTCH_Arch, SCOTCH_archExit> tree{}, part{};

  bool build(ScotchGraph const& from, ScotchTree const& machine) {
    auto const vertices = static_cast<SCOTCH_Num>(from.first.size() - 1);
    auto const arcs = static_cast<SCOTCH_Num>(from.neighbours.size());
    auto const levels = static_cast<SCOTCH_Num>(machine.children.size());
    return graph.ready(SCOTCH_graphInit(&graph.object)) &&
           SCOTCH_graphBuild(&graph.object, 0, vertices, from.first.data(), nullptr, nullptr, nullptr, arcs,
                             from.neighbours.data(), from.weights.data()) == 0 &&
           strategy.ready(SCOTCH_stratInit(&strategy.object)) &&
           SCOTCH_stratGraphMapBuild(&strategy.object, SCOTCH_STRATQUALITY | SCOTCH_STRATBALANCE,
                                     static_cast<SCOTCH_Num>(machine.leaves.size()), 0.01) == 0 &&
           tree.ready(SCOTCH_archInit(&tree.object)) &&
           SCOTCH_archTleaf(&tree.object, levels, machine.children.data(), machine.costs.data()) == 0;
  }
};

bool is_whole(ScotchTree const& tree) {
  std::int64_t all = 1;
  for (std::int32_t const some : tree.children) all *= some;
  return static_cast<std::int64_t>(tree.leaves.size()) == all;
}

// For each vertex, the index of its leaf in `leaves`. A leaf may get no vertex or several. The result depends on the
// seed alone. Nothing if Scotch fails.
std::optional<std::vector<std::uint32_t>> map_to_leaves(ScotchGraph const& graph, ScotchTree const& tree, int seed) {
  setenv("SCOTCH_PTHREAD_NUMBER", "1", 1);  // with several threads, the result depends on their timing
  SCOTCH_randomSeed(seed);
  SCOTCH_randomReset();
  Mapper mapper;
  if (!mapper.build(graph, tree)) return std::nullopt;
  SCOTCH_Arch* machine = &mapper.tree.object;
  if (!is_whole(tree)) {
    bool const is_part = mapper.part.ready(SCOTCH_archInit(&mapper.part.object)) &&
                         SCOTCH_archSub(&mapper.part.object, machine, static_cast<SCOTCH_Num>(tree.leaves.size()),
                                        tree.leaves.data()) == 0;
    if (!is_part) return std::nullopt;
    machine = &mapper.part.object;
  }
  std::vector<SCOTCH_Num> leaf(graph.first.size() - 1);
  if (SCOTCH_graphMap(&mapper.graph.object, machine, &mapper.strategy.object, leaf.data()) != 0) return std::nullopt;
  return std::vector<std::uint32_t>(leaf.begin(), leaf.end());
}

// Scotch takes minutes for 1,000 ranks that all communicate with each other, so it gets only the costliest partners of
// each rank. The swaps afterwards consider all partners.
constexpr std::size_t most_partners = 32;

// The machine's tree, padded so that all places of a level have the same number of places inside.
ScotchTree tree_of(Machine const& machine) {
  ScotchTree tree;
  std::size_t const slots = machine.slots().size();
  std::vector<std::int32_t> number(slots, 0);
  double const most = cost_of_level(machine.levels() - 1);
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
    tree.costs.push_back(std::max(1, static_cast<std::int32_t>(std::lround(cost_of_level(level) / most * 1000))));
  }
  tree.leaves = std::move(number);
  return tree;
}

struct Edge {
  std::uint32_t from, to;
  double cost;
};

// Each edge from both of its ends, sorted by from and to.
std::vector<Edge> edges_of(SearchInput const& input) {
  std::vector<Edge> edges;
  for (std::uint32_t rank = 0; rank < input.work.ranks(); ++rank) {
    std::vector<Edge> own;
    for (Partner const& one : input.work.of(rank)) own.push_back({rank, one.rank, one.exchanged(input.weight)});
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
ScotchGraph graph_of(SearchInput const& input) {
  std::vector<Edge> const edges = edges_of(input);
  double sum = 0;
  for (Edge const& edge : edges) sum += edge.cost;
  // Leaves room for the sum times the highest cost in the tree.
  double const scale = sum > 0 ? 1.5e6 / sum : 0;
  ScotchGraph graph;
  graph.first.push_back(0);
  auto edge = edges.begin();
  for (std::size_t rank = 0; rank < input.machine.slots().size(); ++rank) {
    for (; edge != edges.end() && edge->from == rank; ++edge) {
      graph.neighbours.push_back(static_cast<std::int32_t>(edge->to));
      graph.weights.push_back(std::max(1, static_cast<std::int32_t>(std::lround(edge->cost * scale))));
    }
    graph.first.push_back(static_cast<std::int32_t>(graph.neighbours.size()));
  }
  return graph;
}

// Gives each rank a slot of its own: the wanted one, or the next free one on either side, which is near in the tree.
Placement one_a_slot(std::vector<std::uint32_t> const& wanted) {
  std::set<SlotIndex> free;
  for (SlotIndex slot = 0; slot < wanted.size(); ++slot) free.insert(free.end(), slot);
  Placement placement(wanted);
  std::vector<std::uint32_t> homeless;
  for (std::uint32_t rank = 0; rank < wanted.size(); ++rank)
    if (free.erase(wanted[rank]) == 0) homeless.push_back(rank);
  for (std::uint32_t const rank : homeless) {
    auto slot = free.lower_bound(wanted[rank]);
    bool const is_before_nearer =
        slot != free.begin() && (slot == free.end() || wanted[rank] - *std::prev(slot) < *slot - wanted[rank]);
    if (is_before_nearer) --slot;
    placement[rank] = *slot;
    free.erase(slot);
  }
  return placement;
}

// Scotch's mapping for this seed. If Scotch puts several ranks on a slot, all but one move to a free slot near it.
// Nothing if Scotch fails.
std::optional<Placement> map_by_scotch(SearchInput const& input, int seed) {
  ScotchTree const tree = tree_of(input.machine);
  if (tree.children.empty() || input.work.empty()) return std::nullopt;
  auto const leaves = map_to_leaves(graph_of(input), tree, seed);
  if (!leaves) return std::nullopt;
  return one_a_slot(*leaves);
}

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
