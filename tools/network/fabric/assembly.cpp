#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include "fabric/topology.hpp"
#include "files/profile_error.hpp"
#include "files/visible_text.hpp"

namespace mpisee_through {
namespace {

class Assembly {
 public:
  Assembly(Fabric& fabric, Topology const& topology) : fabric_(fabric), topology_(topology) {}

  void run(TablesByGuid&& tables) {
    add_nodes();
    for (TopologyNode const& node : topology_.nodes()) add_cables(node);
    fabric_.tables.resize(fabric_.nodes.size());
    for (auto& [guid, table] : tables) add_table(guid, std::move(table));
    find_planes();
    find_levels();
  }

 private:
  void add_nodes() {
    for (TopologyNode const& one : topology_.nodes()) {
      index_.emplace(one.guid, fabric_.nodes.size());
      NodeIndex const index{static_cast<std::uint32_t>(fabric_.nodes.size())};
      fabric_.nodes.push_back({.name = visible(one.name),
                               .guid = one.guid,
                               .is_switch = one.is_switch,
                               .first_link = static_cast<std::uint32_t>(fabric_.links.size()),
                               .ports = one.ports,
                               .place = one.place});
      for (std::uint32_t port = 1; port <= one.ports; ++port) fabric_.links.push_back({.node = index, .port = port});
    }
  }

  void add_cables(TopologyNode const& node) {
    for (auto const& [number, port] : node.connected) {
      FabricLink& link = fabric_.links[fabric_.nodes[index_.at(node.guid)].first_link + number - 1];
      link.lid = port.lid;
      link.lids = port.lids;
      link.guid = port.guid;
      link.bytes_per_s = port.bytes_per_s;
      link.back = find_end(port);
    }
  }

  [[nodiscard]] LinkIndex find_end(TopologyPort const& port) const {
    TopologyNode const* const peer = topology_.find(port.peer);
    if (peer == nullptr)
      topology_.fail(port.place, fmt::format("the node {:016x} at the other end is not in the file", port.peer));
    auto const there = peer->connected.find(port.peer_port);
    if (there == peer->connected.end() || !leads_to(there->second, port))
      topology_.fail(port.place, fmt::format("port {} of {} does not lead back", port.peer_port, visible(peer->name)));
    return fabric_.link_at(NodeIndex{static_cast<std::uint32_t>(index_.at(port.peer))}, port.peer_port);
  }

  // Whether `end`, the far end of a cable, names `port` as its own far end.
  [[nodiscard]] bool leads_to(TopologyPort const& end, TopologyPort const& port) const {
    TopologyNode const* const node = topology_.find(end.peer);
    if (node == nullptr) return false;
    auto const found = node->connected.find(end.peer_port);
    return found != node->connected.end() && &found->second == &port;
  }

  void add_table(std::uint64_t guid, ForwardingTable table) {
    auto const known = index_.find(guid);
    if (known == index_.end() || !fabric_.nodes[known->second].is_switch)
      topology_.fail(*table.heading, fmt::format("switch {:016x} is not among the cables", guid));
    FabricNode const& node = fabric_.nodes[known->second];
    for (std::size_t lid = 0; lid < table.ports.size(); ++lid) {
      std::uint16_t const port = table.ports[lid];
      if (port == ForwardingTable::no_port || port <= node.ports) continue;
      std::filesystem::path const& file = fabric_.files[table.heading->file];
      throw ProfileError(file, line_of_entry(file, table.heading->line, static_cast<std::uint32_t>(lid)),
                         fmt::format("{} has no port {}, only {}", node.name, port, node.ports));
    }
    fabric_.tables[known->second] = std::move(table);
  }

  // Numbers the planes. Adapters do not forward, so each port of an adapter is in the plane of the switch it leads to.
  void find_planes() {
    std::uint32_t planes = 0;
    for (FabricNode const& node : fabric_.nodes) {
      if (!node.is_switch || node.ports == 0 || fabric_.links[node.first_link].plane != 0) continue;
      ++planes;
      std::vector<FabricNode const*> reached{&node};
      mark(node, planes);
      for (std::size_t i = 0; i < reached.size(); ++i) {
        for (std::uint32_t k = 0; k < reached[i]->ports; ++k) {
          LinkIndex const back = fabric_.links[reached[i]->first_link + k].back;
          if (back == no_link || fabric_.link(back).plane != 0) continue;
          FabricNode const& there = fabric_.node_of(back);
          if (there.is_switch) {
            mark(there, planes);
            reached.push_back(&there);
          } else {
            fabric_.links[static_cast<std::size_t>(back)].plane = planes;
          }
        }
      }
    }
    for (FabricLink& link : fabric_.links) {  // a cable from host to host forms its own plane
      if (link.plane != 0 || link.back == no_link) continue;
      link.plane = fabric_.links[static_cast<std::size_t>(link.back)].plane = ++planes;
    }
  }

  void mark(FabricNode const& node, std::uint32_t plane) {
    for (std::uint32_t k = 0; k < node.ports; ++k) fabric_.links[node.first_link + k].plane = plane;
  }

  // Numbers the levels. Leaves are the switches with adapters. A switch with few adapters, next to others with four
  // times as many, is not a leaf: the hosts of the subnet manager are often connected at the top. Every other switch is
  // one level above its lowest neighbour.
  void find_levels() {
    std::vector<std::uint32_t> adapters(fabric_.nodes.size());
    for (FabricLink const& link : fabric_.links) {
      if (link.back == no_link || !fabric_.node(link.node).is_switch) continue;
      if (!fabric_.node_of(link.back).is_switch) ++adapters[static_cast<std::size_t>(link.node)];
    }
    std::uint32_t const most = adapters.empty() ? 0 : *std::ranges::max_element(adapters);
    std::vector<std::size_t> reached;
    for (std::size_t i = 0; i < adapters.size(); ++i) {
      if (adapters[i] == 0 || 4 * adapters[i] < most) continue;
      fabric_.nodes[i].level = 1;
      reached.push_back(i);
    }
    for (std::size_t i = 0; i < reached.size(); ++i) {
      FabricNode const& here = fabric_.nodes[reached[i]];
      for (std::uint32_t k = 0; k < here.ports; ++k) {
        LinkIndex const back = fabric_.links[here.first_link + k].back;
        if (back == no_link) continue;
        auto const there = static_cast<std::size_t>(fabric_.link(back).node);
        if (!fabric_.nodes[there].is_switch || fabric_.nodes[there].level != 0) continue;
        fabric_.nodes[there].level = here.level + 1;
        reached.push_back(there);
      }
    }
  }

  Fabric& fabric_;
  Topology const& topology_;
  std::unordered_map<std::uint64_t, std::size_t> index_;
};

constexpr std::uint32_t far = std::numeric_limits<std::uint32_t>::max();

class Assumption {
 public:
  explicit Assumption(Fabric& fabric) : fabric_(fabric), destinations_used_(fabric.links.size()) {
    std::uint32_t highest = 0;
    for (FabricLink const& one : fabric_.links) highest = std::max(highest, one.lid + one.lids - 1);
    for (std::size_t i = 0; i < fabric_.nodes.size(); ++i)
      if (fabric_.nodes[i].is_switch) fabric_.tables[i].ports.assign(highest + 1, ForwardingTable::no_port);
  }

  // Computes the routes from each switch to all that is connected to it.
  void run() {
    for (std::size_t i = 0; i < fabric_.nodes.size(); ++i) {
      if (!fabric_.nodes[i].is_switch) continue;
      std::vector<LinkIndex> const adapters = adapters_of(fabric_.nodes[i]);
      if (adapters.empty()) continue;
      measure(NodeIndex{static_cast<std::uint32_t>(i)});
      for (LinkIndex const down : adapters) add(NodeIndex{static_cast<std::uint32_t>(i)}, down);
    }
  }

 private:
  [[nodiscard]] std::vector<LinkIndex> adapters_of(FabricNode const& node) const {
    std::vector<LinkIndex> found;
    for (std::uint32_t k = 0; k < node.ports; ++k) {
      LinkIndex const link{node.first_link + k};
      if (fabric_.link(link).back != no_link && !fabric_.peer_of(link).is_switch) found.push_back(link);
    }
    return found;
  }

  // Finds the distance of each switch to the destination, and its ports that lead one step nearer.
  void measure(NodeIndex destination) {
    steps_.assign(fabric_.nodes.size(), far);
    nearer_.assign(fabric_.nodes.size(), {});
    reached_.assign(1, destination);
    steps_[static_cast<std::size_t>(destination)] = 0;
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      FabricNode const& here = fabric_.node(reached_[i]);
      std::uint32_t const step = steps_[static_cast<std::size_t>(reached_[i])] + 1;
      for (std::uint32_t k = 0; k < here.ports; ++k) {
        LinkIndex const back = fabric_.links[here.first_link + k].back;
        if (back == no_link || !fabric_.node_of(back).is_switch) continue;
        auto const there = static_cast<std::size_t>(fabric_.link(back).node);
        if (steps_[there] == far) {
          steps_[there] = step;
          reached_.push_back(fabric_.link(back).node);
        }
        if (steps_[there] == step) nearer_[there].push_back(back);
      }
    }
  }

  void add(NodeIndex leaf, LinkIndex down) {
    FabricLink const& destination = fabric_.link(fabric_.link(down).back);
    if (destination.lid == 0) return;
    for (std::uint32_t i = 0; i < destination.lids; ++i) {
      std::uint32_t const lid = destination.lid + i;
      enter(leaf, lid, down);
      for (std::size_t k = 1; k < reached_.size(); ++k) {
        auto const& ways = nearer_[static_cast<std::size_t>(reached_[k])];
        LinkIndex const best = *std::ranges::min_element(
            ways, {}, [this](LinkIndex one) { return destinations_used_[static_cast<std::size_t>(one)]; });
        enter(reached_[k], lid, best);
      }
    }
  }

  void enter(NodeIndex node, std::uint32_t lid, LinkIndex link) {
    ++destinations_used_[static_cast<std::size_t>(link)];
    fabric_.tables[static_cast<std::size_t>(node)].ports[lid] = static_cast<std::uint16_t>(fabric_.link(link).port);
  }

  Fabric& fabric_;
  std::vector<std::uint32_t> destinations_used_;  // by link
  std::vector<std::uint32_t> steps_;              // by node
  std::vector<std::vector<LinkIndex>> nearer_;
  std::vector<NodeIndex> reached_;
};

}  // namespace

void assemble(Fabric& fabric, Topology const& topology, TablesByGuid tables) {
  Assembly(fabric, topology).run(std::move(tables));
}

void assume_tables(Fabric& fabric) { Assumption(fabric).run(); }

}  // namespace mpisee_through
