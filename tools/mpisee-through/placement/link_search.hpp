// Chooses the placement by its busiest link.
#pragma once

#include <vector>

#include "placement/link_effects.hpp"
#include "placement/network.hpp"
#include "placement/search.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

// In place of the placement of least cost: of that, the present one, blocks and round robin, each as it is and with its
// busiest link relieved, one whose busiest link is least loaded, or at most 1 % more; of several of these the one that
// costs least. Its busiest link is never more loaded than that of the present placement. What it does
// is returned.
LinkEffects choose_by_links(SearchResult& found, SearchInput const& input, std::vector<PairTraffic> const& pairs,
                            Network const& network);

}  // namespace mpisee_through
