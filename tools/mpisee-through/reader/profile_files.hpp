#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "reader/unpacked_archive.hpp"

namespace mpisee_through {

class TemporaryDirectory;

// A file to read: by which name it is opened, and what to call it in messages.
struct FileToRead {
  std::filesystem::path opened;
  std::filesystem::path shown;
};

// Where the files of a profile are: in a directory, or in an archive of one.
class ProfileFiles {
 public:
  // A directory, a file of a profile in its directory, or an archive. If the program has not finished the profile of a directory, it is
  // recovered from what there is, elsewhere. Throws ProfileError.
  explicit ProfileFiles(std::filesystem::path const& path);

  // The directory or the archive.
  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

  // By a name that the schema has. The file may not exist.
  [[nodiscard]] FileToRead file(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const;

 private:
  void recover_if_unfinished();

  std::filesystem::path path_;
  std::shared_ptr<UnpackedArchive const> archive_;  // none for a directory
  std::shared_ptr<TemporaryDirectory const> recovered_;  // of a directory that holds no finished profile
};

}  // namespace mpisee_through
