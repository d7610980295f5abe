// What the files about a fabric say, before it is assembled: nodes and cables, and the switches' tables. A switch may
// be in several files, and an adapter with two ports in one file for each of its networks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fabric/fabric.hpp"

namespace mpisee_through {

struct TopologyPort {
  std::uint64_t guid = 0;
  std::uint32_t lid = 0;
  std::uint32_t lids = 1;
  double bytes_per_s = 0;
  std::uint64_t peer = 0;  // GUID of the node at the other end
  std::uint32_t peer_port = 0;
  FabricPlace place{};
};

struct TopologyNode {
  std::uint64_t guid = 0;
  bool is_switch = false;
  std::uint32_t ports = 0;
  std::string name;
  FabricPlace place{};
  std::map<std::uint32_t, TopologyPort> connected{};  // by number of the port
};

// A larger number of ports means a damaged file. The largest InfiniBand switches have 254; topology.conf allows any.
inline constexpr std::uint32_t most_ports = 65534;
inline constexpr std::uint32_t largest_lid = 0xBFFF;

class Topology {
 public:
  explicit Topology(std::vector<std::filesystem::path> const& files) : files_(files) {}

  // Adds the node or returns the known one. Throws ProfileError if the two contradict each other.
  TopologyNode& add(TopologyNode const& node);
  // Throws ProfileError if the port is there already and leads elsewhere, or if the node has no such port.
  void connect(TopologyNode& node, std::uint32_t number, TopologyPort const& port);
  [[noreturn]] void fail(FabricPlace place, std::string_view problem) const;

  [[nodiscard]] std::vector<TopologyNode> const& nodes() const { return nodes_; }
  [[nodiscard]] TopologyNode const* find(std::uint64_t guid) const;

 private:
  [[nodiscard]] std::string where(FabricPlace place) const;

  std::vector<std::filesystem::path> const& files_;
  std::vector<TopologyNode> nodes_;
  std::unordered_map<std::uint64_t, std::size_t> by_guid_;
};

// Reads the output of ibnetdiscover. Throws ProfileError for a malformed file, as the other readers do.
void read_ibnetdiscover(Topology& topology, std::filesystem::path const& path, std::uint32_t file);

// A line of Slurm's topology.conf: SwitchName=leaf1 Nodes=node[01-16], or SwitchName=spine Switches=leaf[1-4].
struct SlurmSwitch {
  std::string name{};
  std::size_t line;
  std::vector<std::string> hosts{}, switches{};  // below it
};
[[nodiscard]] std::vector<SlurmSwitch> read_slurm_switches(std::filesystem::path const& file);
void read_slurm_topology(Topology& topology, std::filesystem::path const& path, std::uint32_t file);

// Whether a line begins a switch's table in the output of dump_fts or ibroute.
[[nodiscard]] bool begins_table(std::string_view line);
// Adds the tables of all switches in the file.
using TablesByGuid = std::unordered_map<std::uint64_t, ForwardingTable>;
void read_tables(TablesByGuid& tables, std::vector<std::filesystem::path> const& files, std::uint32_t file);
// The number of the line with the lid's entry, in the table that begins at line `heading`; `heading` if there is no
// entry.
[[nodiscard]] std::size_t line_of_entry(std::filesystem::path const& file, std::uint32_t heading, std::uint32_t lid);

// Puts nodes, cables and tables together, and finds planes and levels. Throws ProfileError if the two ends of a cable
// contradict each other, if a node is named only as a neighbour, and if a table does not fit its switch.
void assemble(Fabric& fabric, Topology const& topology, TablesByGuid tables);

// Computes tables for a fabric without tables. Each switch forwards along a shortest way; among several, along the one
// that the fewest earlier destinations use, as OpenSM does by default. In a tree, the ways go up and then down.
void assume_tables(Fabric& fabric);

}  // namespace mpisee_through
