#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
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

// Unpacks the files of one directory from a tar, zip or similar archive to disk. Files of a profile get no name: so an
// archive cannot choose a path to write to, and nothing remains however the program ends. Spool files, from the
// directory or its spool subdirectory, go to a temporary directory under their own names.
class UnpackedArchive {
 public:
  using Predicate = std::function<bool(std::string const&)>;

  // The predicates get a file's name without directories. Throws ProfileError, also if no file is wanted, or if the
  // wanted files are in more than one directory.
  UnpackedArchive(std::filesystem::path const& archive, Predicate const& is_wanted, Predicate const& is_of_spool);
  ~UnpackedArchive();
  UnpackedArchive(UnpackedArchive const&) = delete;
  UnpackedArchive& operator=(UnpackedArchive const&) = delete;

  // A path to open the file with. If the archive lacks the file, opening the path fails.
  [[nodiscard]] std::filesystem::path file(std::string_view name) const;

  // Nothing if the archive has no spool files.
  [[nodiscard]] std::optional<TemporaryDirectory> const& spool() const { return spool_; }

 private:
  int open_place(std::string const& name, bool is_of_spool);

  std::map<std::string, int, std::less<>> descriptor_of_;
  std::optional<TemporaryDirectory> spool_;
};

}  // namespace mpisee_through
