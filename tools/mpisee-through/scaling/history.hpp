// How the runs of a program came out from commit to commit.
//
// A directory has a folder for each commit, which holds the profiles of its runs, on any numbers of ranks, or is the
// profile of its only run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "comparison/runs.hpp"
#include "scaling/scaling.hpp"

namespace mpisee_through {

struct CommitRuns {
  std::string commit;  // the first line of the file "commit" in the folder; without one the folder's name
  std::string start;   // of its first run: UTC, ISO 8601; empty if it is not known
  Runs runs;
  Scaling scaling;
};

using History = std::vector<CommitRuns>;  // in the order of start, and where it is the same of folders

// region: as for read_measured_runs(); kind: of scaling, as the user says. Throws ProfileError, also if there is no
// profile, and SelectionError.
[[nodiscard]] History read_history(std::filesystem::path const& directory, std::string const& region,
                                   std::optional<ScalingKind> kind);

// Nothing if no earlier commit has runs on so many ranks.
[[nodiscard]] ScalingPoint const* point_before(History const& history, std::size_t commit, std::uint32_t ranks);

}  // namespace mpisee_through
