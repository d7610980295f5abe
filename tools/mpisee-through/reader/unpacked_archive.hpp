#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace mpisee_through {

// The files of one directory out of a tar, zip or similar archive, unpacked on the disk. They have no name there:
// nothing that an archive holds can decide where is written, and nothing is left behind however the program ends.
class UnpackedArchive {
 public:
  // is_wanted: by the name without directories. Throws ProfileError: also if there are none, or if they are in more
  // than one directory of the archive.
  UnpackedArchive(std::filesystem::path const& archive, std::function<bool(std::string const&)> const& is_wanted);
  ~UnpackedArchive();
  UnpackedArchive(UnpackedArchive const&) = delete;
  UnpackedArchive& operator=(UnpackedArchive const&) = delete;

  // By what it can be opened. There is no such file if the archive has none of this name.
  [[nodiscard]] std::filesystem::path file(std::string_view name) const;

 private:
  std::map<std::string, int, std::less<>> descriptor_of_;
};

}  // namespace mpisee_through
