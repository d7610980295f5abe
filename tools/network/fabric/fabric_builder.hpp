// Puts together what the files about a fabric say. A switch may be in several files, and an adapter with two ports in
// one file for each of its networks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "fabric/fabric.hpp"

namespace mpisee_through {

// A larger number of ports means a damaged file. The largest InfiniBand switches have 254; topology.conf allows any.
inline constexpr std::uint32_t most_ports = 65534;
inline constexpr std::uint32_t largest_lid = 0xBFFF;

// What is at the other end of a cable, and the line that says so.
struct FarEnd {
  std::uint64_t guid = 0;
  std::uint32_t port = 0;
  FabricPlace place{};
};

// All functions throw ProfileError where files contradict each other.
class FabricBuilder {
 public:
  explicit FabricBuilder(Fabric& fabric) : fabric_(fabric) {}

  // Adds a node with these name, GUID, ports and place, or returns the known one.
  NodeIndex add(FabricNode node);
  // Says that a cable leads from a port to the far end. link: its port, lid, GUID and speed.
  void connect(NodeIndex node, FabricLink const& link, FarEnd const& far);
  // The table of the switch, still without a heading, whose table begins in this line.
  ForwardingTable& begin_table(std::uint64_t guid, FabricPlace heading);
  // Joins the ends of cables, and finds networks and levels; once all cables are known.
  void finish();

  [[nodiscard]] Fabric const& fabric() const { return fabric_; }
  [[noreturn]] void fail(FabricPlace place, std::string_view problem) const;

 private:
  [[nodiscard]] LinkIndex find_end(LinkIndex link) const;
  void find_levels();
  [[nodiscard]] std::string where(FabricPlace place) const;

  Fabric& fabric_;
  std::unordered_map<std::uint64_t, NodeIndex> by_guid_;
  std::vector<FarEnd> far_ends_;  // by link; without a line if it has no cable
};

// Each reads a file, the last of the fabric's. Throw ProfileError for a malformed one.
void read_ibnetdiscover(FabricBuilder& builder, std::filesystem::path const& path);
void read_slurm_topology(FabricBuilder& builder, std::filesystem::path const& path);
void read_tables(FabricBuilder& builder, std::filesystem::path const& path);

// Whether a line begins a switch's table in the output of dump_fts or ibroute.
[[nodiscard]] bool begins_table(std::string_view line);
// The number of the line with the lid's entry, in the table that begins at line `heading`; `heading` if there is no
// entry.
[[nodiscard]] std::size_t line_of_entry(std::filesystem::path const& file, std::uint32_t heading, std::uint32_t lid);

// Computes tables for a fabric without tables. Each switch forwards along a shortest way; several are spread over the
// destinations' lids. In a tree, the ways go up and then down.
void assume_tables(Fabric& fabric);

}  // namespace mpisee_through
