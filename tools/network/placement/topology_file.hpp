// --topology FILE: the switches above hosts, and the tree inside them.
#pragma once

#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

namespace mpisee_through {

// The switches above each host, nearest first. A network that is known in another way (by forwarding tables, for
// example) is converted to this.
struct SwitchTree {
  std::size_t levels = 0;  // that each host has
  std::unordered_map<std::string, std::vector<std::string>> switches_of_host;
};

// A regular tree: Scotch's line "tleaf LEVELS CHILDREN COST CHILDREN COST ...", from the root.
struct TreeLine {
  std::vector<std::size_t> children;
  std::vector<double> costs;
};

struct MachineTopology {
  SwitchTree switches{};
  TreeLine tree{};  // replaces the switches if it has children
};

// Reads Slurm's topology.conf (SwitchName= with Nodes= or Switches=) or a line for Scotch; the content decides which.
// Throws a ProfileError that names file and line.
[[nodiscard]] MachineTopology read_topology_file(std::filesystem::path const& file);

}  // namespace mpisee_through
