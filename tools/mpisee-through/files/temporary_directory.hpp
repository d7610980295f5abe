#pragma once

#include <filesystem>

namespace mpisee_through {

// A directory for temporary files. The destructor removes it with its contents.
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
