// Chooses the placement by its busiest link.
#pragma once

#include <vector>

#include "placement/link_effects.hpp"
#include "placement/network.hpp"
#include "placement/search.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

// Replaces the placement of least cost. The candidates are that placement, the present one, blocks and round robin,
// each unchanged and after relieve_links(). Among the candidates whose busiest link is loaded at most 1 % more than the
// best candidate's, and not more than in the present placement, takes the cheapest. Returns its loads of links.
LinkEffects choose_by_links(SearchResult& found, SearchInput const& input, std::vector<PairTraffic> const& pairs,
                            Network const& network);

}  // namespace mpisee_through
