#pragma once

#include "fabric/fabric.hpp"

namespace mpisee_through {

// Tables for a fabric without any: each switch forwards on a shortest way; of several ways, on the one that fewest of
// the destinations before have taken, as OpenSM does by default. In a tree, that leads up and down again.
void assume_tables(Fabric& fabric);

}  // namespace mpisee_through
