// The profiles in a directory that is none itself: what a user wants to see who named the wrong one.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mpisee_through {

// A line for each profile among the subdirectories: path, start and command line, the latest start first. Of a profile
// that is not finished the line says so.
[[nodiscard]] std::vector<std::string> list_profiles(std::filesystem::path const& directory);

}  // namespace mpisee_through
