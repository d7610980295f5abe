// Finds collective operations for which the MPI used another algorithm before than after.
#pragma once

#include <string>
#include <vector>

#include "comparison/runs.hpp"

namespace mpisee_through {

struct OtherAlgorithmThanBefore {
  std::string communicator, operation;
  SizeBin sizes;              // bounds of the calls' sizes: classes next to each other with the same algorithms
  std::string before, after;  // joined by " and " if runs of a side, or siblings, have several
  EffortOfRuns efforts;       // of these calls
};

// Only calls of which both sides have an algorithm; ascending by communicator, operation and size. Siblings are one if
// runs.communicators has them as one.
[[nodiscard]] std::vector<OtherAlgorithmThanBefore> changed_algorithms(Runs const& runs, RunGroup const& before,
                                                                       RunGroup const& after);

}  // namespace mpisee_through
