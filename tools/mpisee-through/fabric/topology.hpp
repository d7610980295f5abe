// What the files about cables say, before it is put together. Each parser fills one of these; a switch may be in
// several files, and an adapter with two ports in one for each of its networks.
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
  std::uint64_t peer = 0;  // a node
  std::uint32_t peer_port = 0;
  FabricPlace place{};
};

struct TopologyNode {
  std::uint64_t guid = 0;
  bool is_switch = false;
  std::uint32_t ports = 0;
  std::string name;
  std::uint32_t lid = 0;  // of a switch
  FabricPlace place{};
  std::map<std::uint32_t, TopologyPort> connected{};  // by the port's number
};

// Larger numbers of ports are damage. The largest InfiniBand switches have 254; those of topology.conf any number.
inline constexpr std::uint32_t most_ports = 65534;
inline constexpr std::uint32_t largest_lid = 0xBFFF;

class Topology {
 public:
  explicit Topology(std::vector<std::filesystem::path> const& files) : files_(files) {}

  // The node, new or known. Throws ProfileError if it is known as something else.
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

// "4xEDR": what it carries a second each way, without the bits of its encoding. 0 if it is none.
[[nodiscard]] double bytes_per_second(std::string_view width_and_speed);

}  // namespace mpisee_through
