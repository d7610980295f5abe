#include "fabric/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "fabric/fabric_builder.hpp"
#include "files/profile_error.hpp"
#include "files/visible_text.hpp"

namespace mpisee_through {

std::vector<LinkIndex> Fabric::cables_of(FabricNode const& node) const {
  std::vector<LinkIndex> cables;
  for (std::uint32_t index = node.first_link; index < node.first_link + node.ports; ++index)
    if (links[index].back != no_link) cables.push_back(LinkIndex{index});
  return cables;
}

LinkIndex Fabric::link_at(NodeIndex index, std::uint32_t port) const {
  FabricNode const& at = node(index);
  return port == 0 || port > at.ports ? no_link : LinkIndex{at.first_link + port - 1};
}

unsigned Fabric::levels() const {
  unsigned highest = 0;
  for (FabricNode const& one : nodes) highest = std::max(highest, one.level);
  return highest;
}

// By union-find.
std::vector<std::uint32_t> Fabric::connected_up_to(unsigned level) const {
  std::vector<std::uint32_t> parent(nodes.size());
  std::iota(parent.begin(), parent.end(), 0U);
  auto const group_of = [&](auto index) {
    auto at = static_cast<std::uint32_t>(index);
    while (parent[at] != at) at = parent[at] = parent[parent[at]];
    return at;
  };
  auto const counts = [&](FabricNode const& one) { return one.is_switch && one.level <= level; };
  for (FabricLink const& one : links)
    if (one.back != no_link && counts(node(one.node)) && counts(node_of(one.back)))
      parent[group_of(one.node)] = group_of(link(one.back).node);
  for (std::uint32_t i = 0; i < parent.size(); ++i) parent[i] = group_of(i);
  return parent;
}

std::vector<LinkIndex> Fabric::route(LinkIndex from, LinkIndex to) const {
  std::vector<LinkIndex> way{from};
  for (NodeIndex before = link(from).node;;) {
    LinkIndex const arrived = link(way.back()).back;
    if (arrived == to) return way;
    NodeIndex const at = link(arrived).node;
    if (!node(at).is_switch)
      fail_at(before, to, fmt::format("leads to {}, but is of {}", node(at).name, node_of(to).name));
    if (way.size() > nodes.size()) fail_at(at, to, fmt::format("leads to {} in a loop", node_of(to).name));
    way.push_back(forward(at, to));
    before = at;
  }
}

LinkIndex Fabric::forward(NodeIndex at, LinkIndex to) const {
  std::uint16_t const port = tables[static_cast<std::size_t>(at)].port_to(link(to).lid);
  if (port == ForwardingTable::no_port) fail_at(at, to, "has no entry, thus no way to " + node_of(to).name);
  LinkIndex const next = link_at(at, port);
  if (next == no_link || link(next).back == no_link)
    fail_at(at, to, fmt::format("leads to {} through port {}, which has no cable", node_of(to).name, port));
  return next;
}

void Fabric::fail_at(NodeIndex at, LinkIndex to, std::string_view problem) const {
  FabricNode const& here = node(at);
  ForwardingTable const& table = tables[static_cast<std::size_t>(at)];
  std::string const what = fmt::format("on {}, lid {} {}", here.name, link(to).lid, problem);
  if (!here.is_switch || (table.ports.empty() && has_tables)) {
    std::string const missing = here.is_switch ? fmt::format("{} has no table; {}", here.name, what) : what;
    throw ProfileError(files[here.place.file], here.place.line, missing);
  }
  if (!table.heading) throw ProfileError(path, std::nullopt, what);
  std::filesystem::path const& file = files[table.heading->file];
  throw ProfileError(file, line_of_entry(file, table.heading->line, link(to).lid), what);
}

std::string name_of_level(unsigned level) {
  constexpr std::array names{"host", "leaf", "spine", "core"};
  return level < names.size() ? names[level] : fmt::format("level{}", level);
}

std::string level_of(Fabric const& fabric, LinkIndex link) {
  return name_of_level(fabric.node_of(link).level) + '-' + name_of_level(fabric.peer_of(link).level);
}

NodeIndex FabricBuilder::add(FabricNode node) {
  auto const [known, is_new] =
      by_guid_.try_emplace(node.guid, NodeIndex{static_cast<std::uint32_t>(fabric_.nodes.size())});
  if (!is_new) {
    FabricNode const& there = fabric_.node(known->second);
    if (there.is_switch != node.is_switch || there.ports != node.ports)
      fail(node.place, fmt::format("this node is another one at {}", where(there.place)));
    return known->second;
  }
  if (node.ports > most_ports) fail(node.place, fmt::format("{} ports are too many", node.ports));
  node.name = visible(node.name);
  node.first_link = static_cast<std::uint32_t>(fabric_.links.size());
  for (std::uint32_t port = 1; port <= node.ports; ++port)
    fabric_.links.push_back({.node = known->second, .port = port});
  far_ends_.resize(fabric_.links.size());
  fabric_.nodes.push_back(std::move(node));
  return known->second;
}

void FabricBuilder::connect(NodeIndex index, FabricLink const& link, FarEnd const& far) {
  FabricNode const& node = fabric_.node(index);
  LinkIndex const place = fabric_.link_at(index, link.port);
  if (place == no_link) fail(far.place, fmt::format("{} has no port {}, only {}", node.name, link.port, node.ports));
  FarEnd& known = far_ends_[static_cast<std::size_t>(place)];
  FabricLink& there = fabric_.links[static_cast<std::size_t>(place)];
  if (known.place.line == 0) {
    known = far;
    there = link;
    there.node = index;
  } else if (known.guid != far.guid || known.port != far.port) {
    fail(far.place, fmt::format("port {} of {} leads elsewhere at {}", link.port, node.name, where(known.place)));
  }
  if (there.lid == 0) there.lid = link.lid;
}

ForwardingTable& FabricBuilder::begin_table(std::uint64_t guid, FabricPlace heading) {
  auto const known = by_guid_.find(guid);
  if (known == by_guid_.end() || !fabric_.node(known->second).is_switch)
    fail(heading, fmt::format("switch {:016x} is not among the cables", guid));
  ForwardingTable& table = fabric_.tables[static_cast<std::size_t>(known->second)];
  if (table.heading) fail(heading, fmt::format("{:#018x} has a table at {}, too", guid, where(*table.heading)));
  table.heading = heading;
  return table;
}

void FabricBuilder::finish() {
  for (std::size_t i = 0; i < fabric_.links.size(); ++i)
    if (far_ends_[i].place.line != 0) fabric_.links[i].back = find_end(LinkIndex{static_cast<std::uint32_t>(i)});
  fabric_.tables.resize(fabric_.nodes.size());
  find_levels();
  std::vector<std::uint32_t> const networks = fabric_.connected_up_to(std::numeric_limits<unsigned>::max());
  for (std::size_t i = 0; i < networks.size(); ++i) fabric_.nodes[i].network = networks[i];
}

LinkIndex FabricBuilder::find_end(LinkIndex link) const {
  FarEnd const& far = far_ends_[static_cast<std::size_t>(link)];
  auto const peer = by_guid_.find(far.guid);
  if (peer == by_guid_.end())
    fail(far.place, fmt::format("the node {:016x} at the other end is not in the file", far.guid));
  LinkIndex const back = fabric_.link_at(peer->second, far.port);
  FarEnd const from = back == no_link ? FarEnd() : far_ends_[static_cast<std::size_t>(back)];
  if (from.place.line == 0 || from.guid != fabric_.node_of(link).guid || from.port != fabric_.link(link).port)
    fail(far.place, fmt::format("port {} of {} does not lead back", far.port, fabric_.node(peer->second).name));
  return back;
}

// Numbers the levels. Leaves are the switches with adapters. Of a real network, a switch with few adapters, next to
// others with four times as many, is not a leaf: the hosts of the subnet manager are often connected at the top. Every
// other switch is one level above its lowest neighbour.
void FabricBuilder::find_levels() {
  std::vector<std::size_t> adapters(fabric_.nodes.size());
  for (std::size_t i = 0; i < adapters.size(); ++i)
    if (fabric_.nodes[i].is_switch)
      for (LinkIndex const link : fabric_.cables_of(fabric_.nodes[i]))
        adapters[i] += fabric_.peer_of(link).is_switch ? 0 : 1;
  std::size_t const most = adapters.empty() ? 0 : *std::ranges::max_element(adapters);
  std::vector<std::size_t> reached;
  for (std::size_t i = 0; i < adapters.size(); ++i) {
    if (adapters[i] == 0 || (fabric_.has_cables && 4 * adapters[i] < most)) continue;
    fabric_.nodes[i].level = 1;
    reached.push_back(i);
  }
  for (std::size_t i = 0; i < reached.size(); ++i) {
    FabricNode const& here = fabric_.nodes[reached[i]];
    for (LinkIndex const link : fabric_.cables_of(here)) {
      auto const there = static_cast<std::size_t>(fabric_.link(fabric_.link(link).back).node);
      if (!fabric_.nodes[there].is_switch || fabric_.nodes[there].level != 0) continue;
      fabric_.nodes[there].level = here.level + 1;
      reached.push_back(there);
    }
  }
}

void FabricBuilder::fail(FabricPlace place, std::string_view problem) const {
  throw ProfileError(fabric_.files[place.file], place.line, problem);
}

std::string FabricBuilder::where(FabricPlace place) const {
  return fmt::format("{}:{}", fabric_.files[place.file].string(), place.line);
}

namespace {

constexpr std::uint32_t not_reached = std::numeric_limits<std::uint32_t>::max();

class Assumption {
 public:
  explicit Assumption(Fabric& fabric) : fabric_(fabric) {
    std::uint32_t highest = 0;
    for (FabricLink const& one : fabric_.links) highest = std::max(highest, one.lid);
    for (std::size_t i = 0; i < fabric_.nodes.size(); ++i)
      if (fabric_.nodes[i].is_switch) fabric_.tables[i].ports.assign(highest + 1, ForwardingTable::no_port);
  }

  // Computes the routes from each switch to all that is connected to it.
  void run() {
    for (FabricNode const& node : fabric_.nodes) {
      if (!node.is_switch || node.ports == 0) continue;
      bool is_measured = false;
      for (LinkIndex const down : fabric_.cables_of(node)) {
        if (fabric_.peer_of(down).is_switch) continue;
        if (!std::exchange(is_measured, true)) measure(fabric_.link(down).node);
        if (std::uint32_t const lid = fabric_.link(fabric_.link(down).back).lid; lid != 0) add(lid, down);
      }
    }
  }

 private:
  // Finds the distance of each switch to the destination, and its ports that lead one step nearer.
  void measure(NodeIndex destination) {
    steps_.assign(fabric_.nodes.size(), not_reached);
    nearer_.assign(fabric_.nodes.size(), {});
    reached_.assign(1, destination);
    steps_[static_cast<std::size_t>(destination)] = 0;
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      std::uint32_t const step = steps_[static_cast<std::size_t>(reached_[i])] + 1;
      for (LinkIndex const link : fabric_.cables_of(fabric_.node(reached_[i]))) {
        if (!fabric_.peer_of(link).is_switch) continue;
        LinkIndex const back = fabric_.link(link).back;
        auto const there = static_cast<std::size_t>(fabric_.link(back).node);
        if (steps_[there] == not_reached) {
          steps_[there] = step;
          reached_.push_back(fabric_.link(back).node);
        }
        if (steps_[there] == step) nearer_[there].push_back(back);
      }
    }
  }

  // The switch measured sends data for the lid down, the others towards it.
  void add(std::uint32_t lid, LinkIndex down) {
    enter(lid, down);
    for (std::size_t k = 1; k < reached_.size(); ++k) {
      std::vector<LinkIndex> const& ways = nearer_[static_cast<std::size_t>(reached_[k])];
      enter(lid, ways[lid % ways.size()]);
    }
  }

  void enter(std::uint32_t lid, LinkIndex index) {
    FabricLink const& link = fabric_.link(index);
    fabric_.tables[static_cast<std::size_t>(link.node)].ports[lid] = static_cast<std::uint16_t>(link.port);
  }

  Fabric& fabric_;
  std::vector<std::uint32_t> steps_;  // by node
  std::vector<std::vector<LinkIndex>> nearer_;
  std::vector<NodeIndex> reached_;
};

}  // namespace

void assume_tables(Fabric& fabric) { Assumption(fabric).run(); }

}  // namespace mpisee_through
