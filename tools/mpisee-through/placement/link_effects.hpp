// What a placement does to the links of the network.
#pragma once

#include <cstdint>
#include <vector>

#include "placement/costs.hpp"
#include "placement/network.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

// Messages within hosts, to oneself and to other worlds pass no link.
struct LinkEffects {
  LinkIndex busiest = no_link;  // none without messages between hosts
  std::uint64_t bytes = 0;      // on it
  double load = 0;              // of it: SlotRoutes::load_of_byte() of each byte
  std::uint64_t sum = 0;        // of the bytes on all links
  std::size_t used = 0;         // links
};

// Of several equally loaded links, the busiest is the first one of the fabric.
[[nodiscard]] LinkEffects link_effects_of(std::vector<PairTraffic> const& pairs, SlotRoutes& routes,
                                          Placement const& placement);

}  // namespace mpisee_through
