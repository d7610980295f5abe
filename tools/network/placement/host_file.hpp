// --hosts FILE: other hosts than those of the run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace mpisee_through {

struct HostLine {
  std::string name;
  std::size_t slots = 1;
  // Counts for the whole host, if the file gives them.
  std::optional<std::size_t> packages{}, numa{}, cores{};
};

// Lines "node[01-16] slots=64 packages=2 numa=4 cores=64", "node01:64" or "node01"; # begins a comment. A host named in
// several lines gets the slots of all of them. Throws a ProfileError that names file and line.
[[nodiscard]] std::vector<HostLine> read_host_file(std::filesystem::path const& file);

}  // namespace mpisee_through
