// Looks for the placement whose messages cost least or, with the links of a network, whose busiest link carries least.
// The present placement, blocks, round robin and those that Scotch proposes are judged as they are and after swaps of
// two ranks; then the cheapest is shaken, by random swaps, and improved again. So the result is never worse than any of
// these.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "placement/costs.hpp"
#include "placement/network.hpp"

namespace mpisee_through {

struct SearchInput {
  Work const& work;
  Machine const& machine;
  Costs const& costs;
  std::optional<Placement> now{};  // only if the machine is that of the run
  SlotRoutes* routes = nullptr;    // null: costs alone count
};

// A placement that the search began with. Loads are those of the busiest link; 0 without links.
struct Start {
  std::string name;
  double cost, load;
  double cost_after, load_after;  // after the swaps
};

struct SearchResult {
  Placement placement;
  std::vector<Start> starts;  // equal ones once
};

[[nodiscard]] SearchResult search_placement(SearchInput const& input);

// Swaps two ranks as long as that lowers the cost; an empty slot is swapped like a rank. Ends after a number of steps,
// which it returns: a limit of time would make the result depend on the machine's speed.
std::int64_t lower_cost(Placement& placement, SearchInput const& input);
// Swaps two ranks on different hosts as long as that lowers the highest load of a link, or the number of links that
// have it. Returns the number of steps.
std::int64_t relieve_links(Placement& placement, SearchInput const& input);

// Scotch's mapping for this seed. If Scotch puts several ranks on a slot, all but one move to a free slot near it.
// Nothing if Scotch fails.
[[nodiscard]] std::optional<Placement> map_by_scotch(SearchInput const& input, int seed);

}  // namespace mpisee_through
