// The sums of a profile, by communicator and operation.
//
// summary.csv has them for most selections. Otherwise the rows of operations.csv are summed while they are read, over
// ranks and regions, and over message sizes unless these are requested. So memory grows with the cells that can be
// shown (communicators × operations × sizes), not with the number of rows. Both ways give the same summary.
#pragma once

#include "summary/summary.hpp"

namespace mpisee_through {

// Reads the profile to its end. Throws ProfileError and SelectionError.
Summary summarise(Profile const& profile, Selection const& selection, Detail detail);

}  // namespace mpisee_through
