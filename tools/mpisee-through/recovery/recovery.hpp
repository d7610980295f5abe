// The spool files that killed processes have left: where they are, how they are gathered, and the profile that is made
// of them, with the rows that the processes would have written.
#pragma once

#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mpisee_through {

// The directory with the spool files of a profile: its subdirectory `spool`, the profile's directory itself, or a
// directory on this node. Nothing if there are no spool files.
std::optional<std::filesystem::path> find_spool(std::filesystem::path const& directory);

// If the spool files of a profile are on the nodes: their directory there, which this node may not have.
std::optional<std::filesystem::path> find_node_directory(std::filesystem::path const& profile);

// Throws a ProfileError that says where the spool files are, if they are on other nodes.
void check_not_on_nodes(std::filesystem::path const& profile);

// The spool files in a directory, by rank.
[[nodiscard]] std::map<std::int32_t, std::filesystem::path> spool_files(std::filesystem::path const& directory);

// Writes the files of a profile from the spool files in a directory. run.json says what is missing. Throws ProfileError
// if there are no usable spool files, or the profile cannot be written.
void recover(std::filesystem::path const& spool, std::filesystem::path const& profile);

// Calls recover() for the profile's own directory, which it returns. Throws ProfileError also if the profile is
// finished.
std::filesystem::path recover_profile(std::filesystem::path const& directory);

// How to gather the spool files that ended processes have left on this node, and to move them to where recovery finds
// them.
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

// When and how the command that ran a job ended: written by its launcher beside the spool files that the job left.
struct CommandEnd {
  double day_s = 0;   // seconds since 1970; if it was interrupted, of that
  int signal = 0;     // that interrupted it; 0: none
  int exit_code = 0;  // as a shell tells it
};

[[nodiscard]] inline double seconds_of(timespec const& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

inline constexpr char command_end_file[] = "command_end";

// spool: an existing directory. Without the file, the end is not known.
inline void write_command_end(std::filesystem::path const& spool, CommandEnd const& end) {
  std::ofstream out(spool / command_end_file);
  out.precision(19);
  out << end.day_s << ' ' << end.signal << ' ' << end.exit_code << '\n';
}

[[nodiscard]] std::optional<CommandEnd> read_command_end(std::filesystem::path const& spool);

}  // namespace mpisee_through
