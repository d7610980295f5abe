#pragma once

#include "fabric/fabric.hpp"

namespace mpisee_through {

// Computes tables for a fabric without tables. Each switch forwards along a shortest way; among several, along the one
// that the fewest earlier destinations use, as OpenSM does by default. In a tree, the ways go up and then down.
void assume_tables(Fabric& fabric);

}  // namespace mpisee_through
