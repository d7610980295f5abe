#pragma once

#include "fabric/fabric.hpp"
#include "fabric/forwarding_files.hpp"
#include "fabric/topology.hpp"

namespace mpisee_through {

// Puts nodes, cables and tables together, and finds planes and levels. Throws ProfileError if the two ends of a cable
// contradict each other, if a node is named only as a neighbour, and if a table does not fit its switch.
void assemble(Fabric& fabric, Topology const& topology, TablesByGuid tables);

}  // namespace mpisee_through
