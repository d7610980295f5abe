// What a placement does to the links of the network.
#pragma once

#include <cstdint>
#include <vector>

#include "placement/costs.hpp"
#include "placement/network.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

// The loads of links. Messages within a host, to the sender itself and to other worlds pass no link.
struct LinkEffects {
  LinkIndex busiest = no_link;  // no_link if no message goes between hosts
  std::uint64_t bytes = 0;      // bytes on the busiest link
  double load = 0;              // load of the busiest link: its bytes times SlotRoutes::load_of_byte()
  std::uint64_t sum = 0;        // bytes summed over all links
  std::size_t used = 0;         // number of links with messages
};

// If several links have the highest load, the busiest is the first of them in the fabric.
[[nodiscard]] LinkEffects link_effects_of(std::vector<PairTraffic> const& pairs, SlotRoutes& routes,
                                          Placement const& placement);

}  // namespace mpisee_through
