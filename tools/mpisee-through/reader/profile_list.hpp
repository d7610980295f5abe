// Lists the profiles found inside a directory that is not a profile, to help a user who named the wrong directory.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace mpisee_through {

// A line for each profile among the subdirectories, the latest start first: path, start and command line. The line of
// an unfinished profile says that it is unfinished.
[[nodiscard]] std::vector<std::string> list_profiles(std::filesystem::path const& directory);

}  // namespace mpisee_through
