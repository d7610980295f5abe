// The network between the hosts: adapters, switches, cables, and the tables by which switches forward.
//
//   Fabric const fabric = read_fabric("net/");                       // fabric_files.hpp
//   FabricHosts const hosts(fabric, overview.host_names);            // fabric_hosts.hpp
//   std::vector<LinkIndex> way;
//   hosts.add_route({from}, to, way);                                // the links that data passes, in order
//
// A port and a link are the same here: the link is what leaves the node through the port. So a cable is two links, one
// in each direction, and numbers per link stand in flat arrays.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mpisee_through {

enum class NodeIndex : std::uint32_t {};
enum class LinkIndex : std::uint32_t {};
inline constexpr LinkIndex no_link{UINT32_MAX};

// A line of one of the fabric's files, from 1.
struct FabricPlace {
  std::uint32_t file = 0;
  std::uint32_t line = 0;
};

struct FabricNode {
  std::string name;  // its description, as visible text
  std::uint64_t guid = 0;
  bool is_switch = false;
  std::uint32_t first_link = 0;  // of port 1
  std::uint32_t ports = 0;
  unsigned level = 0;  // 0: an adapter, 1: a switch with hosts, 2: one above it, …
  FabricPlace place{};
};

struct FabricLink {
  NodeIndex node{};
  std::uint32_t port = 0;    // from 1
  LinkIndex back = no_link;  // the other direction, that is the port at the other end; none without a cable
  std::uint32_t lid = 0;     // of an adapter's port: the first of its addresses; 0 without any
  std::uint32_t lids = 1;    // how many it has
  std::uint64_t guid = 0;    // of an adapter's port
  std::uint32_t plane = 0;   // what is connected through switches has the same one
  double bytes_per_s = 0;    // 0 if it is not known
};

// By which port a switch forwards, by the destination's lid.
struct ForwardingTable {
  static constexpr std::uint16_t no_port = UINT16_MAX;

  std::vector<std::uint16_t> ports{};
  std::optional<FabricPlace> heading{};  // none: an assumed table

  [[nodiscard]] std::uint16_t port_to(std::uint32_t lid) const { return lid < ports.size() ? ports[lid] : no_port; }
};

class Fabric {
 public:
  std::filesystem::path path;                // as the user named it
  std::vector<std::filesystem::path> files;  // that it was read from
  std::vector<FabricNode> nodes;
  std::vector<FabricLink> links;
  std::vector<ForwardingTable> tables;  // by node; those of adapters are empty
  std::vector<std::string> notes;       // what was read, and what is assumed: a sentence each
  bool has_tables = false;              // as opposed to assumed ones

  [[nodiscard]] FabricNode const& node(NodeIndex index) const { return nodes[static_cast<std::size_t>(index)]; }
  [[nodiscard]] FabricLink const& link(LinkIndex index) const { return links[static_cast<std::size_t>(index)]; }
  [[nodiscard]] FabricNode const& node_of(LinkIndex index) const { return node(link(index).node); }
  // Where a link with a cable ends.
  [[nodiscard]] FabricNode const& peer_of(LinkIndex index) const { return node_of(link(index).back); }
  [[nodiscard]] LinkIndex link_at(NodeIndex node, std::uint32_t port) const;
  [[nodiscard]] unsigned levels() const;  // of switches

  // Appends the links from one adapter's port to another one's, as the tables lead. choice: which of the destination's
  // lids, if it has several. Throws ProfileError for a lid without entry, a loop, and a port without a cable.
  void add_route(LinkIndex from, LinkIndex to, std::uint32_t choice, std::vector<LinkIndex>& way) const;

 private:
  [[nodiscard]] LinkIndex forward(NodeIndex at, std::uint32_t lid, LinkIndex to) const;
  [[noreturn]] void fail_at(NodeIndex at, std::uint32_t lid, std::string_view problem) const;
};

// "host-leaf", "leaf-spine", "spine-leaf", …: from which level a link leads to which.
[[nodiscard]] std::string level_of(Fabric const& fabric, LinkIndex link);
// "host", "leaf", "spine", "core", "level 4", …
[[nodiscard]] std::string name_of_level(unsigned level);

}  // namespace mpisee_through
