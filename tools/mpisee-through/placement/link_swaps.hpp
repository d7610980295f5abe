// Relieves the busiest link of a placement by swaps of two ranks on different hosts, as long as one lowers the most
// load of a link, or how many links have it.
#pragma once

#include <vector>

#include "placement/costs.hpp"
#include "placement/network.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

// fixed: slots' ranks that stay. Ends after a number of steps, too: the result does not depend on the speed of the
// machine.
void relieve_links(Placement& placement, std::vector<PairTraffic> const& pairs, Machine const& machine,
                   SlotRoutes& routes, std::vector<bool> const& fixed);

}  // namespace mpisee_through
