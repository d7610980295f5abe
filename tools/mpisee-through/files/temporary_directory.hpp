#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
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

}  // namespace mpisee_through
