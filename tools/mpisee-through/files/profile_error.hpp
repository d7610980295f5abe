#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mpisee_through {

// What is wrong with a profile, and where. what() is one printable line, "FILE:LINE: problem"; a file that could not be
// opened has no line.
class ProfileError : public std::runtime_error {
 public:
  ProfileError(std::filesystem::path const& file, std::optional<std::size_t> line, std::string_view problem,
               std::vector<std::string> details = {});

  // Lines that belong below what(), for example the profiles in a directory that is none itself.
  [[nodiscard]] std::vector<std::string> const& details() const { return *details_; }

 private:
  std::shared_ptr<std::vector<std::string> const> details_;  // an exception is copied without throwing another
};

}  // namespace mpisee_through
