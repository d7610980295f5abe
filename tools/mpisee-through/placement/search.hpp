// Looks for a placement of the least cost: several starts, each improved by swaps. The result is never worse than a
// start, the present placement, blocks and round robin among them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placement/costs.hpp"

namespace mpisee_through {

struct Start {
  std::string name;
  double cost;      // as it is
  double improved;  // by swaps
};

// Likewise, by the load of the busiest link.
struct LinkStart {
  std::string name;
  double cost, load;
  double cost_relieved, load_relieved;  // by swaps
};

struct SearchResult {
  Placement placement;
  double cost;
  std::vector<Start> starts;
  std::vector<LinkStart> by_links{};  // if links count
};

struct SearchInput {
  Work const& work;
  Machine const& machine;
  Costs const& costs;
  std::optional<Placement> now{};                // if the machine is the present one
  std::vector<std::optional<SlotIndex>> kept{};  // of ranks that have to be there; empty: none
};

[[nodiscard]] SearchResult search_placement(SearchInput const& input);

}  // namespace mpisee_through
