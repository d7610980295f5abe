// --topology FILE: what is above hosts, and inside them.
#pragma once

#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

namespace mpisee_through {

// The switches above each host, the nearest one first. Whoever knows a network in another way (forwarding tables, for
// example) makes one of these to have it taken into account.
struct SwitchTree {
  std::size_t levels = 0;  // that each host has
  std::unordered_map<std::string, std::vector<std::string>> switches_of_host;
};

// The regular tree of a Scotch line "tleaf LEVELS CHILDREN COST CHILDREN COST ...", from the root.
struct TreeLine {
  std::vector<std::size_t> children;
  std::vector<double> costs;
};

struct MachineTopology {
  SwitchTree switches{};
  TreeLine tree{};  // instead, if it has children
};

// Slurm's topology.conf (SwitchName= with Nodes= or Switches=) or a line for Scotch, told apart by what is in it.
// Throws ProfileError that names file and line.
[[nodiscard]] MachineTopology read_topology_file(std::filesystem::path const& file);

}  // namespace mpisee_through
