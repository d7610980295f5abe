#pragma once

#include <ostream>
#include <vector>

#include "summary/algorithms.hpp"
#include "summary/arrangement.hpp"
#include "text/format.hpp"

namespace mpisee_through {

// Shows, for each collective operation on each communicator, the algorithm that the MPI used.
void show(std::ostream& out, Summary const& summary, std::vector<AlgorithmSummary> const& algorithms, Format format,
          Arrangement const& arrangement);

}  // namespace mpisee_through
