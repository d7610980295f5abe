// Placements to begin with. Each has one rank a slot; empty slots have ranks beyond those of the run.
#pragma once

#include <optional>
#include <vector>

#include "placement/costs.hpp"

namespace mpisee_through {

// Ranks in order fill one host after the other.
[[nodiscard]] Placement in_blocks(Machine const& machine);
// Ranks in order go to the hosts in turn.
[[nodiscard]] Placement in_turn(Machine const& machine);

// The places of each level filled one after the other, from the outermost to the innermost: the next rank is the one
// that has most to do with the ranks that are in the place. Quadratic in the ranks; nothing if they are too many.
[[nodiscard]] std::optional<Placement> gathered(Work const& work, Machine const& machine, Costs const& costs);

// What Scotch makes of it, once for each seed; leaves that it gave several ranks give them away.
[[nodiscard]] std::optional<Placement> by_scotch(Work const& work, Machine const& machine, Costs const& costs,
                                                 int seed);

// Puts ranks where they have to be; whoever is there goes to where they were.
void put(Placement& placement, std::vector<std::optional<SlotIndex>> const& wanted);

}  // namespace mpisee_through
