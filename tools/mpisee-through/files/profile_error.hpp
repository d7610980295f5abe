#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace mpisee_through {

// What is wrong with a profile, and where. what() is one printable line, "FILE:LINE: problem"; a file that could not be
// opened has no line.
class ProfileError : public std::runtime_error {
 public:
  ProfileError(std::filesystem::path const& file, std::optional<std::size_t> line, std::string_view problem);
};

}  // namespace mpisee_through
