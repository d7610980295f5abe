#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "files/temporary_directory.hpp"

namespace mpisee_through {

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
