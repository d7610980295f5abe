#pragma once

#include "fabric/fabric.hpp"
#include "fabric/forwarding_files.hpp"
#include "fabric/topology.hpp"

namespace mpisee_through {

// Puts nodes, cables and tables together, and finds planes and levels. Throws ProfileError for a cable of which the two
// ends contradict each other, for a node that is only a neighbour of others, and for a table that does not fit its
// switch.
void assemble(Fabric& fabric, Topology const& topology, TablesByGuid tables);

}  // namespace mpisee_through
