// Reads a profile: the directory that libcommprof.so writes when a program finalizes MPI.
//
// What the files and columns are called is in profile/schema.hpp, shared with the writer; what they mean to a program
// is here. The small file (run.json) is read whole. The tables are read row after row and nothing of them is kept, so a
// profile of any size is read in the memory of one buffer; whoever reads decides what to add up.
//
//   Profile const profile(path);                 // run.json, and which files there are
//   OperationRows rows(profile);
//   while (OperationRow const* row = rows.next()) …
//
// A problem of any file ends reading with a ProfileError that names file and line. A reader checks a row in itself; the
// caller, who knows what rows mean to each other, reports what it finds through fail(), which names the line as well.
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

  // As it was named: the directory, or the archive.
  [[nodiscard]] std::filesystem::path const& directory() const { return files_.path(); }
  [[nodiscard]] ProfileFiles const& files() const { return files_; }
  [[nodiscard]] Run const& run() const { return run_; }
  [[nodiscard]] std::optional<std::uint64_t> expected_rows(std::string_view file) const;

  // Whether the profile was written with this file: not all are. One that run.json counts and that is gone was.
  [[nodiscard]] bool holds(commprof::schema::File const& file) const;

 private:
  ProfileFiles files_;
  Run run_;
};

}  // namespace mpisee_through
