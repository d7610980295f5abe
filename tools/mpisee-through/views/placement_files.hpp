// Writes the amounts between ranks for programs that compute placements. These need one weight for each pair, so both
// directions are added up. Messages to oneself and to other worlds do not affect placement and are left out.
#pragma once

#include <ostream>

#include "summary/traffic.hpp"

namespace mpisee_through {

// TreeMatch: a line of whole numbers, separated by blanks, for each rank.
void write_treematch(std::ostream& out, Traffic const& traffic, Measure measure);

// A graph: a vertex for each rank, a weighted edge for each pair with messages. Scotch and METIS add up weights in 32
// bits; if the sum would overflow, all weights are divided by a power of two, to at least 1.
void write_scotch(std::ostream& out, Traffic const& traffic, Measure measure);  // .grf, vertices from 0
void write_metis(std::ostream& out, Traffic const& traffic, Measure measure);   // .graph, vertices from 1

}  // namespace mpisee_through
