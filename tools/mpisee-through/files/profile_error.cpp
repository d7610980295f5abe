#include "files/profile_error.hpp"

#include <fmt/format.h>

#include <utility>

#include "files/visible_text.hpp"

namespace mpisee_through {
namespace {

std::string message(std::filesystem::path const& file, std::optional<std::size_t> line, std::string_view problem) {
  std::string const where = line ? fmt::format("{}:{}", file.string(), *line) : file.string();
  return visible(fmt::format("{}: {}", where, problem));
}

}  // namespace

ProfileError::ProfileError(std::filesystem::path const& file, std::optional<std::size_t> line, std::string_view problem,
                           std::vector<std::string> details)
    : std::runtime_error(message(file, line, problem)),
      details_(std::make_shared<std::vector<std::string> const>(std::move(details))) {}

}  // namespace mpisee_through
