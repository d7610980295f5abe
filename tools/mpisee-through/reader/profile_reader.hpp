// Reads a profile: the directory that libcommprof.so writes when a program finalizes MPI.
//
// profile/schema.hpp, shared with the writer, names the files and columns; this header gives them types. run.json is
// small and read at once. Tables are read row by row into one buffer, so memory does not grow with the profile; the
// caller decides what to sum.
//
//   Profile const profile(path);                 // run.json, and which files there are
//   OperationRows rows(profile);
//   while (OperationRow const* row = rows.next()) …
//
// Reading ends at the first problem in a file with a ProfileError that names file and line. The reader checks each row
// by itself; a caller that compares rows reports problems through fail(), which also names the line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "files/profile_error.hpp"
#include "profile/schema.hpp"
#include "reader/profile_files.hpp"
#include "reader/rows.hpp"
#include "reader/run.hpp"

namespace mpisee_through {

class Profile {
 public:
  // The profile's directory, any of its files, or an archive of the directory. Throws ProfileError.
  explicit Profile(std::filesystem::path const& path);

  // The directory or archive, as the user named it.
  [[nodiscard]] std::filesystem::path const& directory() const { return files_.path(); }
  [[nodiscard]] ProfileFiles const& files() const { return files_; }
  [[nodiscard]] Run const& run() const { return run_; }
  [[nodiscard]] std::optional<std::uint64_t> expected_rows(std::string_view file) const;

  // Whether the profile was written with this file; some files are optional. True also for a file that run.json counts
  // and that has disappeared.
  [[nodiscard]] bool holds(commprof::schema::File const& file) const;

 private:
  ProfileFiles files_;
  Run run_;
};

}  // namespace mpisee_through
