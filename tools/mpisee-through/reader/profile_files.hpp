#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "files/file_to_read.hpp"
#include "files/temporary_directory.hpp"
#include "files/unpacked_archive.hpp"

namespace mpisee_through {

// Where the files of a profile are: in a directory, or in an archive of one.
class ProfileFiles {
 public:
  // A directory, a file of a profile in its directory, or an archive. If the program has not finished the profile, it
  // is recovered from what there is, elsewhere. Throws ProfileError.
  explicit ProfileFiles(std::filesystem::path const& path);

  // The directory or the archive.
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

  // By a name that the schema has. The file may not exist.
  [[nodiscard]] FileToRead file(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const;
  // Whether what is in the files can be added to: they are neither in an archive nor recovered.
  [[nodiscard]] bool are_in_place() const { return !archive_ && !recovered_; }

 private:
  void recover_from(std::filesystem::path const& spool, std::filesystem::path const& shown);

  std::filesystem::path path_;
  std::shared_ptr<UnpackedArchive const> archive_;       // none for a directory
  std::shared_ptr<TemporaryDirectory const> recovered_;  // of a profile that is not finished
};

}  // namespace mpisee_through
