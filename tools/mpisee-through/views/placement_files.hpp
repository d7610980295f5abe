// Who has how much to do with whom, for programs that compute where to place processes. All of them want to know it of
// pairs, so both directions are added up. What ranks send to themselves and to other worlds has no influence on
// placement and is left out.
#pragma once

#include <ostream>

#include "summary/traffic.hpp"

namespace mpisee_through {

// For TreeMatch: a line of whole numbers, separated by blanks, for each rank.
void write_treematch(std::ostream& out, Traffic const& traffic, Measure measure);

// The same as a graph: a vertex for each rank, an edge of this weight for each pair that has any. Scotch and METIS add
// up weights in 32 bits: where these would overflow, all weights are divided by one power of two, and are 1 at least.
void write_scotch(std::ostream& out, Traffic const& traffic, Measure measure);  // .grf, vertices from 0
void write_metis(std::ostream& out, Traffic const& traffic, Measure measure);   // .graph, vertices from 1

}  // namespace mpisee_through
