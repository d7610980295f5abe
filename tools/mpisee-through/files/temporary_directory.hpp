#pragma once

#include <filesystem>

namespace mpisee_through {

// A directory in that for temporary files, which is gone with all that is in it when this object is.
class TemporaryDirectory {
 public:
  TemporaryDirectory();  // throws ProfileError
  TemporaryDirectory(TemporaryDirectory const&) = delete;
  TemporaryDirectory& operator=(TemporaryDirectory const&) = delete;
  ~TemporaryDirectory();

  [[nodiscard]] std::filesystem::path const& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace mpisee_through
