#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "files/visible_text.hpp"

namespace mpisee_through {

// A file to read: the path to open, and the name for messages.
struct FileToRead {
  std::filesystem::path opened, shown;
};

// A problem in a profile, and its location. what() is one printable line, "FILE:LINE: problem"; a file that could not
// be opened has no line.
class ProfileError : public std::runtime_error {
 public:
  ProfileError(std::filesystem::path const& file, std::optional<std::size_t> line, std::string_view problem,
               std::vector<std::string> details = {})
      : std::runtime_error(
            visible(fmt::format("{}{}: {}", file.string(), line ? fmt::format(":{}", *line) : std::string(), problem))),
        details_(std::make_shared<std::vector<std::string> const>(std::move(details))) {}

  // Lines to print below what(), for example the profiles found inside a directory that is not a profile.
  [[nodiscard]] std::vector<std::string> const& details() const { return *details_; }

 private:
  std::shared_ptr<std::vector<std::string> const> details_;  // shared, because copying an exception must not throw
};

}  // namespace mpisee_through
