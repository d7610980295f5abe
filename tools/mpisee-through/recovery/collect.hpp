// Gathers the spool files that ended processes have left on this node, and moves them to where recovery finds them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mpisee_through {

struct CollectWish {
  std::vector<std::filesystem::path> from;  // searched two levels deep
  // The directory of one profile: only files of its run are collected; or a directory in which each run gets one of its
  // own. Nothing: each file goes to the profile that it names.
  std::optional<std::filesystem::path> to;
  std::string job;  // only files of this job; empty: of any
};

// The result for the files of one directory.
struct CollectedRun {
  std::filesystem::path from;
  std::filesystem::path to{};             // the directory of the profile
  std::vector<std::int32_t> ranks{};      // ranks whose files were collected
  std::vector<std::int32_t> running{};    // ranks whose processes still run
  std::vector<std::int32_t> of_others{};  // ranks whose processes were on another host
  std::string host{};                     // name of one such host
  std::vector<std::string> problems{};    // why other files were left, a line each
};

// The directories of a node that may have spool files: $TMPDIR, /tmp and so on.
[[nodiscard]] std::vector<std::filesystem::path> node_directories();

// Collects the runs, in the order of their directories. A file is copied, then deleted. Files of running processes, of
// other users and of other hosts stay. A later call collects the files of processes that have ended since.
[[nodiscard]] std::vector<CollectedRun> collect(CollectWish const& wish);

}  // namespace mpisee_through
