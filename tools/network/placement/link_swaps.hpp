// Swaps two ranks on different hosts as long as a swap lowers the highest load of a link, or the number of links that
// have it.
#pragma once

#include <vector>

#include "placement/costs.hpp"
#include "placement/network.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

// fixed: by rank, whether it must keep its slot. The number of steps is limited, not the time, so that the result does
// not depend on the machine's speed.
void relieve_links(Placement& placement, std::vector<PairTraffic> const& pairs, Machine const& machine,
                   SlotRoutes& routes, std::vector<bool> const& fixed);

}  // namespace mpisee_through
