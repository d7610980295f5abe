#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <system_error>

#include "files/profile_error.hpp"

namespace mpisee_through {

// A directory for temporary files. The destructor removes it with its contents.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {  // throws ProfileError
    std::string name = (std::filesystem::temp_directory_path() / "mpisee-through-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
      throw ProfileError(name, std::nullopt, std::generic_category().message(errno));
    path_ = name;
  }
  TemporaryDirectory(TemporaryDirectory const&) = delete;
  TemporaryDirectory& operator=(TemporaryDirectory const&) = delete;
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Unpacks the files of one directory from a tar, zip or similar archive, and those of its spool subdirectory: each into
// `to` itself, so an archive cannot choose a path to write to. is_wanted gets a file's name without directories. Throws
// ProfileError, also if no file is wanted, or if the wanted files are in more than one directory.
void unpack(std::filesystem::path const& archive, std::function<bool(std::string const&)> const& is_wanted,
            std::filesystem::path const& to);

}  // namespace mpisee_through
