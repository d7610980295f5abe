// Looks for a placement of least cost: improves several starts by swaps. The starts include the present placement,
// blocks and round robin, so the result is never worse than these.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "placement/costs.hpp"

namespace mpisee_through {

struct Start {
  std::string name;
  double cost;      // before the swaps
  double improved;  // after the swaps
};

// A start of the search for the lowest load of the busiest link.
struct LinkStart {
  std::string name;
  double cost, load;
  double cost_relieved, load_relieved;  // after relieve_links()
};

struct SearchResult {
  Placement placement;
  double cost;
  std::vector<Start> starts;
  std::vector<LinkStart> by_links{};  // empty unless links count
};

struct SearchInput {
  Work const& work;
  Machine const& machine;
  Costs const& costs;
  std::optional<Placement> now{};                // only if the machine is that of the run
  std::vector<std::optional<SlotIndex>> kept{};  // by rank: the slot it must have, if any
};

[[nodiscard]] SearchResult search_placement(SearchInput const& input);

}  // namespace mpisee_through
