// Gathers the spool files that ended processes have left on this node, and puts them where a profile is recovered from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mpisee_through {

struct CollectWish {
  std::vector<std::filesystem::path> from;  // searched with their subdirectories and those in them
  // The directory of one profile: only its files are collected. Or one in which each run gets a directory of its own.
  // Nothing: the directory of its profile that each file names.
  std::optional<std::filesystem::path> to;
  std::string job;  // only files of this job; empty: of any
};

// What has become of the files of one directory.
struct CollectedRun {
  std::filesystem::path from;
  std::filesystem::path to;             // the directory of the profile
  std::vector<std::int32_t> ranks;      // whose files were collected
  std::vector<std::int32_t> running;    // whose processes have not ended
  std::vector<std::int32_t> of_others;  // whose processes were on another host
  std::string host;                     // one of these
  std::vector<std::string> problems;    // of what was left for another reason, each a line
};

// Where spool files may lie on a node: $TMPDIR, /tmp and so on.
[[nodiscard]] std::vector<std::filesystem::path> node_directories();

// The runs that were found, in the order of their directories. A file is copied, then deleted. Files of running
// processes, of other users and of other hosts stay. Repeating it collects what has ended since.
[[nodiscard]] std::vector<CollectedRun> collect(CollectWish const& wish);

}  // namespace mpisee_through
