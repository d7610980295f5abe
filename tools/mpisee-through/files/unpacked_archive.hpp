#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "files/temporary_directory.hpp"

namespace mpisee_through {

// The files of one directory out of a tar, zip or similar archive, unpacked on the disk. Those of a profile have no
// name there: nothing that an archive holds can decide where is written, and nothing is left behind however the program
// ends. Those of a spool, in the directory or in that for the spool in it, are in a temporary directory, by their own
// names.
class UnpackedArchive {
 public:
  using Predicate = std::function<bool(std::string const&)>;

  // By the name without directories. Throws ProfileError: also if there are none, or if they are in more than one
  // directory of the archive.
  UnpackedArchive(std::filesystem::path const& archive, Predicate const& is_wanted, Predicate const& is_of_spool);
  ~UnpackedArchive();
  UnpackedArchive(UnpackedArchive const&) = delete;
  UnpackedArchive& operator=(UnpackedArchive const&) = delete;

  // By what it can be opened. There is no such file if the archive has none of this name.
  [[nodiscard]] std::filesystem::path file(std::string_view name) const;

  // Nothing if the archive has no files of a spool.
  [[nodiscard]] std::optional<TemporaryDirectory> const& spool() const { return spool_; }

 private:
  int open_place(std::string const& name, bool is_of_spool);

  std::map<std::string, int, std::less<>> descriptor_of_;
  std::optional<TemporaryDirectory> spool_;
};

}  // namespace mpisee_through
