// Improves a placement by swaps of two ranks that lower the cost. An empty slot is swapped like a rank.
#pragma once

#include <vector>

#include "placement/costs.hpp"

namespace mpisee_through {

// fixed: by rank, whether it must keep its slot. Ends when no swap helps, or after a number of steps: a limit of time
// would make the result depend on the machine's speed.
void improve_by_swaps(Placement& placement, Work const& work, Machine const& machine, Costs const& costs,
                      std::vector<bool> const& fixed);

}  // namespace mpisee_through
