#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "files/profile_error.hpp"
#include "files/temporary_directory.hpp"
#include "files/unpacked_archive.hpp"

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

}  // namespace mpisee_through
