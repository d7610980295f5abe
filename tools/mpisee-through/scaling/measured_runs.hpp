#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "comparison/runs.hpp"

namespace mpisee_through {

// Like read_runs() if the path of the region is empty. Otherwise times, efficiencies and calls are those of the region
// with all regions inside it; the wall time is that of the rank with the most. Throws SelectionError if a run lacks the
// region.
[[nodiscard]] Runs read_measured_runs(std::vector<std::filesystem::path> const& profiles, std::string const& region);

}  // namespace mpisee_through
