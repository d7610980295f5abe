// The calls of Scotch, which maps graphs onto machines. See its user's guide, 5.2.3 (target architectures).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace mpisee_through {

// Vertices are the ranks; each edge is there from both ends.
struct ScotchGraph {
  std::vector<std::int32_t> first;  // of each vertex, and the end
  std::vector<std::int32_t> neighbours;
  std::vector<std::int32_t> weights;
};

// A tree whose nodes of one level have equally many children. leaves: those that can be used, ascending.
struct ScotchTree {
  std::vector<std::int32_t> children;  // of each level, from the root
  std::vector<std::int32_t> costs;     // between leaves that part at that level
  std::vector<std::int32_t> leaves;

  [[nodiscard]] bool is_whole() const;
};

// For each vertex the index of its leaf in leaves. A leaf may have none or several. The same seed gives the same
// mapping. Nothing if Scotch fails.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> map_by_scotch(ScotchGraph const& graph, ScotchTree const& tree,
                                                                      int seed);

}  // namespace mpisee_through
