// A profile out of what killed processes left: the rows are those that they would have written themselves.
#pragma once

#include <filesystem>
#include <optional>

namespace mpisee_through {

// Where the spool files are that belong to a profile's directory: in it, or in its directory of that name. Nothing if there are none.
std::optional<std::filesystem::path> find_spool(std::filesystem::path const& directory);

// Writes the files of a profile from the spool files in a directory. run.json says what is missing. Throws ProfileError if there
// is nothing to write from, or it cannot be written.
void recover(std::filesystem::path const& spool, std::filesystem::path const& profile);

// The same into the profile's own directory, which is returned. Throws ProfileError also if the profile is finished.
std::filesystem::path recover_profile(std::filesystem::path const& directory);

// A directory for such a profile that nobody asked to keep.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  TemporaryDirectory(TemporaryDirectory const&) = delete;
  TemporaryDirectory& operator=(TemporaryDirectory const&) = delete;
  ~TemporaryDirectory();

  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace mpisee_through
