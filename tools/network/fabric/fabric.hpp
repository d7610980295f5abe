// The network between the hosts: adapters, switches, cables, and the tables by which switches forward.
//
//   Fabric const fabric = read_fabric("net/");
//   FabricHosts const hosts(fabric, overview.host_names);
//   FabricHosts::Ends const ends = hosts.ends({from}, to);
//   std::vector<LinkIndex> const way = fabric.route(ends.from, ends.to);  // the links that data passes, in order
//
// A port and a link are the same here: the link is what leaves the node through the port. So a cable is two links, one
// in each direction, and numbers per link stand in flat arrays.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "summary/overview.hpp"

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
  std::string name;  // the node's description, as visible text
  std::uint64_t guid = 0;
  bool is_switch = false;
  std::uint32_t ports = 0;
  FabricPlace place{};
  std::uint32_t first_link = 0;  // of port 1
  unsigned level = 0;            // 0: an adapter, 1: a switch with hosts, 2: one above it, …
  std::uint32_t network = 0;     // of a switch: a number that all switches share which cables connect
};

struct FabricLink {
  NodeIndex node{};
  std::uint32_t port = 0;    // from 1
  LinkIndex back = no_link;  // the other direction of the cable, from the port at its other end; no_link without one
  std::uint32_t lid = 0;     // address of an adapter's port, the first if it has several; 0 if it has none
  std::uint64_t guid = 0;    // only for an adapter's port
  double bytes_per_s = 0;    // 0 if it is not known
};

// A switch's output port for each destination's lid.
struct ForwardingTable {
  static constexpr std::uint16_t no_port = UINT16_MAX;

  std::vector<std::uint16_t> ports{};
  std::optional<FabricPlace> heading{};  // empty for an assumed table

  [[nodiscard]] std::uint16_t port_to(std::uint32_t lid) const { return lid < ports.size() ? ports[lid] : no_port; }
};

class Fabric {
 public:
  std::filesystem::path path;                // as the user named it
  std::vector<std::filesystem::path> files;  // all files read
  std::vector<FabricNode> nodes;
  std::vector<FabricLink> links;
  std::vector<ForwardingTable> tables;  // by node; empty for adapters
  std::vector<std::string> notes;       // a sentence each: what was read, what is assumed
  bool has_tables = false;              // false: tables are assumed
  bool has_cables = false;              // false: which switches are above others is all that is known

  [[nodiscard]] FabricNode const& node(NodeIndex index) const { return nodes[static_cast<std::size_t>(index)]; }
  [[nodiscard]] FabricLink const& link(LinkIndex index) const { return links[static_cast<std::size_t>(index)]; }
  [[nodiscard]] FabricNode const& node_of(LinkIndex index) const { return node(link(index).node); }
  // The node at the other end of a link with a cable.
  [[nodiscard]] FabricNode const& peer_of(LinkIndex index) const { return node_of(link(index).back); }
  // The links of a node that have a cable.
  [[nodiscard]] std::vector<LinkIndex> cables_of(FabricNode const& node) const;
  [[nodiscard]] LinkIndex link_at(NodeIndex node, std::uint32_t port) const;
  [[nodiscard]] unsigned levels() const;  // number of levels of switches
  // For each node, a number that nodes share which cables connect through switches up to this level.
  [[nodiscard]] std::vector<std::uint32_t> connected_up_to(unsigned level) const;

  // The links that the tables lead through, from one adapter's port to another. Throws ProfileError for a lid without
  // an entry, a loop, and a port without a cable.
  [[nodiscard]] std::vector<LinkIndex> route(LinkIndex from, LinkIndex to) const;

 private:
  [[nodiscard]] LinkIndex forward(NodeIndex at, LinkIndex to) const;
  [[noreturn]] void fail_at(NodeIndex at, LinkIndex to, std::string_view problem) const;
};

// The levels that a link connects: "host-leaf", "leaf-spine", "spine-leaf", …
[[nodiscard]] std::string level_of(Fabric const& fabric, LinkIndex link);
// "host", "leaf", "spine", "core", "level4", …
[[nodiscard]] std::string name_of_level(unsigned level);

// Reads a fabric from files that administrators have: a directory of them, or one. Their content tells their kind:
// cables are in the output of ibnetdiscover or in Slurm's topology.conf, tables in the output of dump_fts or ibroute.
// Without tables, routes are assumed. Throws ProfileError.
[[nodiscard]] Fabric read_fabric(std::filesystem::path const& path);

// A host, and the number of the port through which data leaves it, modulo its number of ports. The data arrives at the
// port with this number, too.
struct HostPort {
  HostIndex host;
  std::uint32_t rail = 0;
};

// Finds the adapters' ports of the hosts of a profile. A node's description begins with the name of its host, "node01
// HCA-1"; names match also without their domains. A file "hosts" in the fabric's directory has a line for each
// exception, "HOST DESCRIPTION" or "HOST GUID" (of a node or a port); several lines of a host name several ports.
class FabricHosts {
 public:
  // Throws ProfileError for a host without a port.
  FabricHosts(Fabric const& fabric, std::span<std::string const> hosts);

  [[nodiscard]] Fabric const& fabric() const { return fabric_; }
  // The host's ports with a cable, in the order of the fabric; at least one.
  [[nodiscard]] std::span<LinkIndex const> ports(HostIndex host) const {
    return ports_[static_cast<std::size_t>(host)];
  }
  [[nodiscard]] bool has_several_ports() const;

  struct Ends {
    LinkIndex from, to;
    auto operator<=>(Ends const&) const = default;
  };
  // The two ports of a way between two hosts, with a cable or a network between them. Throws ProfileError if there are
  // none.
  [[nodiscard]] Ends ends(HostPort from, HostIndex to) const;

 private:
  void read_exceptions(std::filesystem::path const& path, std::span<std::string const> hosts);
  void match_descriptions(std::span<std::string const> hosts);
  void check(std::span<std::string const> hosts) const;
  void add_ports(std::size_t host, FabricNode const& node);
  [[nodiscard]] bool are_connected(LinkIndex one, LinkIndex other) const;

  Fabric const& fabric_;
  std::vector<std::vector<LinkIndex>> ports_;
};

}  // namespace mpisee_through
