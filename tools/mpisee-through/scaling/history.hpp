// The runs of a program from commit to commit.
//
// A directory has a folder for each commit. The folder contains the profiles of its runs, on any numbers of ranks, or
// is the profile of its only run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "comparison/runs.hpp"
#include "scaling/scaling.hpp"

namespace mpisee_through {

struct CommitRuns {
  std::string commit;  // first line of the file "commit" in the folder; without that file, the folder's name
  std::string start;   // start of the first run: UTC, ISO 8601; empty if unknown
  Runs runs;
  Scaling scaling;
};

using History = std::vector<CommitRuns>;  // sorted by start, then by folder

// region: as for read_measured_runs(). kind: given by the user. Throws SelectionError and ProfileError, also if there
// is no profile.
[[nodiscard]] History read_history(std::filesystem::path const& directory, std::string const& region,
                                   std::optional<ScalingKind> kind);

// The point of the latest earlier commit with runs on this many ranks; null if there is none.
[[nodiscard]] ScalingPoint const* point_before(History const& history, std::size_t commit, std::uint32_t ranks);

}  // namespace mpisee_through
