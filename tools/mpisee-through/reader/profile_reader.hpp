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
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "files/profile_error.hpp"
#include "files/unpacked_archive.hpp"
#include "profile/schema.hpp"
#include "reader/parallel.hpp"
#include "reader/rows.hpp"
#include "reader/run.hpp"

namespace mpisee_through {

// Finds the files of a profile in a directory or an archive.
class ProfileFiles {
 public:
  // path: a directory, a file of a profile in its directory, or an archive. An unfinished profile is recovered from its
  // spool files into a temporary directory. Throws ProfileError.
  explicit ProfileFiles(std::filesystem::path const& path);

  // The directory or the archive.
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

  // name: one of the schema's. The file may not exist.
  [[nodiscard]] FileToRead file(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const;
  // Whether new files can be added: the profile is neither in an archive nor recovered.
  [[nodiscard]] bool are_in_place() const { return !archive_ && !recovered_; }

 private:
  void recover_from(std::filesystem::path const& spool, std::filesystem::path const& shown);

  std::filesystem::path path_;
  std::shared_ptr<UnpackedArchive const> archive_;       // null for a directory
  std::shared_ptr<TemporaryDirectory const> recovered_;  // null for a finished profile
};

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

// Calls read(rows) for each part of the table, in several threads at the same time. Returns the results in the order of
// the file. If several parts have errors, throws the first one in the file.
template <class Rows, class Read>
auto read_in_parts(Profile const& profile, Read const& read) {
  using Result = std::invoke_result_t<Read const&, Rows&>;
  std::vector<Rows> parts = Rows::parts(profile);
  std::vector<std::optional<Result>> results(parts.size());
  run_in_parallel(parts.size(), [&](std::size_t i) { results[i].emplace(read(parts[i])); });
  std::uint64_t rows = 0;
  for (Rows const& part : parts) rows += part.rows_read();
  Rows::check_row_count(profile, rows);
  std::vector<Result> in_order;
  in_order.reserve(results.size());
  for (auto& one : results) in_order.push_back(std::move(*one));
  return in_order;
}

}  // namespace mpisee_through
