// Improves a placement by swaps of two ranks, each of which lowers the cost. An empty slot is swapped like a rank.
#pragma once

#include <vector>

#include "placement/costs.hpp"

namespace mpisee_through {

// fixed: ranks that stay. Ends when no swap that is tried helps, or after a number of steps: so the result does not
// depend on the speed of the machine.
void improve_by_swaps(Placement& placement, Work const& work, Machine const& machine, Costs const& costs,
                      std::vector<bool> const& fixed);

}  // namespace mpisee_through
