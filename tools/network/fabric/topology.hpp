// Nodes and cables as the files list them, before assemble(). Each parser fills one Topology; a switch may be in
// several files, and an adapter with two ports in one file for each of its networks.
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
  std::uint32_t lid = 0;  // a switch's own address
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

// "4xEDR": the bytes of data that a link carries each way in a second, without its line code. 0 for an unknown text.
[[nodiscard]] double bytes_per_second(std::string_view width_and_speed);

}  // namespace mpisee_through
