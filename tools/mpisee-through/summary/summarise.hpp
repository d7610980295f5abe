// Sums the calls of a profile by communicator and operation.
//
// summary.csv has the sums for most selections. Otherwise the rows of operations.csv are summed as they are read.
// Memory grows with the number of cells, not with the number of rows. Both ways give equal summaries.
#pragma once

#include "summary/summary.hpp"

namespace mpisee_through {

// Reads the profile to its end. Each list of cells that is asked for is then in the summary; that by_comm is in its
// communicators, always. Cells by_size alone are of calls that carry data. Throws ProfileError and SelectionError.
Summary summarise(Profile const& profile, Selection const& selection, std::vector<CellList> lists);

}  // namespace mpisee_through
