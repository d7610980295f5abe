#include "placement/scotch.hpp"

#include <cstdio>
#include <memory>
#include <type_traits>

extern "C" {
#include <scotch.h>
}

namespace mpisee_through {
namespace {

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

using Graph = Scoped<SCOTCH_Graph, SCOTCH_graphExit>;

#if SCOTCH_VERSION >= 7
class Context {
 public:
  // Uses one thread: with several, the result depends on their timing.
  bool start(int seed) {
    if (!own_.ready(SCOTCH_contextInit(&own_.object))) return false;
    SCOTCH_contextRandomSeed(&own_.object, seed);
    SCOTCH_contextRandomReset(&own_.object);
    return SCOTCH_contextThreadSpawn(&own_.object, 1, nullptr) == 0;
  }
  // Binds the graph to this context. Nothing if that fails.
  SCOTCH_Graph* bind(Graph& graph) {
    bool const is_bound = bound_.ready(SCOTCH_graphInit(&bound_.object)) &&
                          SCOTCH_contextBindGraph(&own_.object, &graph.object, &bound_.object) == 0;
    return is_bound ? &bound_.object : nullptr;
  }

 private:
  Scoped<SCOTCH_Context, SCOTCH_contextExit> own_{};
  Graph bound_{};
};
#else
// Scotch 6 has one context for the process.
class Context {
 public:
  static bool start(int seed) {
    SCOTCH_randomSeed(seed);
    SCOTCH_randomReset();
    return true;
  }
  static SCOTCH_Graph* bind(Graph& graph) { return &graph.object; }
};
#endif

struct Mapper {
  // Each member needs the one before it.
  Graph graph{};
  Context context{};
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

}  // namespace

bool ScotchTree::is_whole() const {
  std::int64_t all = 1;
  for (std::int32_t const some : children) all *= some;
  return static_cast<std::int64_t>(leaves.size()) == all;
}

std::optional<std::vector<std::uint32_t>> map_by_scotch(ScotchGraph const& graph, ScotchTree const& tree, int seed) {
  Mapper mapper;
  if (!mapper.context.start(seed) || !mapper.build(graph, tree)) return std::nullopt;
  SCOTCH_Arch* machine = &mapper.tree.object;
  if (!tree.is_whole()) {
    bool const is_part = mapper.part.ready(SCOTCH_archInit(&mapper.part.object)) &&
                         SCOTCH_archSub(&mapper.part.object, machine, static_cast<SCOTCH_Num>(tree.leaves.size()),
                                        tree.leaves.data()) == 0;
    if (!is_part) return std::nullopt;
    machine = &mapper.part.object;
  }
  SCOTCH_Graph* const ranks = mapper.context.bind(mapper.graph);
  std::vector<SCOTCH_Num> leaf(graph.first.size() - 1);
  if (ranks == nullptr || SCOTCH_graphMap(ranks, machine, &mapper.strategy.object, leaf.data()) != 0)
    return std::nullopt;
  return std::vector<std::uint32_t>(leaf.begin(), leaf.end());
}

}  // namespace mpisee_through
