// Placements that a search starts from. Each slot holds one rank; numbers beyond the run's ranks stand for empty slots.
#pragma once

#include <optional>
#include <vector>

#include "placement/costs.hpp"

namespace mpisee_through {

// Fills one host after the other, in the order of ranks.
[[nodiscard]] Placement in_blocks(Machine const& machine);
// Deals ranks to the hosts in turn.
[[nodiscard]] Placement in_turn(Machine const& machine);

// Fills the places of each level one after the other, from the outermost level to the innermost. The next rank is
// always the one that communicates most with the ranks already in the place. Takes time quadratic in the ranks; returns
// nothing if they are too many.
[[nodiscard]] std::optional<Placement> gathered(Work const& work, Machine const& machine, Costs const& costs);

// Scotch's mapping for this seed. If Scotch puts several ranks on a slot, all but one move to a free slot near it.
[[nodiscard]] std::optional<Placement> by_scotch(Work const& work, Machine const& machine, Costs const& costs,
                                                 int seed);

// Moves ranks to their wanted slots; a rank that occupies such a slot takes the old slot of the one that comes.
void put(Placement& placement, std::vector<std::optional<SlotIndex>> const& wanted);

}  // namespace mpisee_through
