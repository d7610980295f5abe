// The calls of Scotch, which maps graphs onto machines. See its user's guide, 5.2.3 (target architectures).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace mpisee_through {

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

  [[nodiscard]] bool is_whole() const;
};

// For each vertex, the index of its leaf in `leaves`. A leaf may get no vertex or several. The result depends on the
// seed alone. Nothing if Scotch fails.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> map_by_scotch(ScotchGraph const& graph, ScotchTree const& tree,
                                                                      int seed);

}  // namespace mpisee_through
