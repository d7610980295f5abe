// Sums the calls of a profile by communicator and operation.
//
// summary.csv has the sums for most selections. Otherwise the rows of operations.csv are summed as they are read, over
// ranks and regions, and over message sizes unless sizes are requested. Memory grows with the number of cells to show
// (communicators × operations × sizes), not with the number of rows. Both ways give equal summaries.
#pragma once

#include "summary/summary.hpp"

namespace mpisee_through {

// Reads the profile to its end. Throws ProfileError and SelectionError.
Summary summarise(Profile const& profile, Selection const& selection, Detail detail);

// Adds the calls of other ranks.
void merge(std::vector<OperationSummary>& operations, std::vector<OperationSummary>&& others);

}  // namespace mpisee_through
