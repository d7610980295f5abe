#include "fabric/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "fabric/fabric_builder.hpp"
#include "files/profile_error.hpp"

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

}  // namespace mpisee_through
