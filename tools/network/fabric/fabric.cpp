#include "fabric/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "fabric/topology.hpp"
#include "files/profile_error.hpp"

namespace mpisee_through {

LinkIndex Fabric::link_at(NodeIndex index, std::uint32_t port) const {
  FabricNode const& at = node(index);
  return port == 0 || port > at.ports ? no_link : LinkIndex{at.first_link + port - 1};
}

unsigned Fabric::levels() const {
  unsigned highest = 0;
  for (FabricNode const& one : nodes) highest = std::max(highest, one.level);
  return highest;
}

void Fabric::add_route(LinkIndex from, LinkIndex to, std::uint32_t choice, std::vector<LinkIndex>& way) const {
  FabricLink const& destination = link(to);
  std::uint32_t const lid = destination.lid + choice % destination.lids;
  std::size_t const begin = way.size();
  LinkIndex here = from;
  NodeIndex before = link(from).node;
  for (;;) {
    way.push_back(here);
    LinkIndex const arrived = link(here).back;
    if (arrived == to) return;
    NodeIndex const at = link(arrived).node;
    if (!node(at).is_switch)
      fail_at(before, lid, fmt::format("leads to {}, but is of {}", node(at).name, node_of(to).name));
    if (way.size() - begin > nodes.size()) fail_at(at, lid, fmt::format("leads to {} in a loop", node_of(to).name));
    here = forward(at, lid, to);
    before = at;
  }
}

LinkIndex Fabric::forward(NodeIndex at, std::uint32_t lid, LinkIndex to) const {
  ForwardingTable const& table = tables[static_cast<std::size_t>(at)];
  std::uint16_t const port = table.port_to(lid);
  if (port == ForwardingTable::no_port)
    fail_at(at, lid, fmt::format("has no entry, thus no way to {}", node_of(to).name));
  LinkIndex const next = link_at(at, port);
  if (next == no_link || link(next).back == no_link)
    fail_at(at, lid, fmt::format("leads to {} through port {}, which has no cable", node_of(to).name, port));
  return next;
}

void Fabric::fail_at(NodeIndex at, std::uint32_t lid, std::string_view problem) const {
  FabricNode const& here = node(at);
  ForwardingTable const& table = tables[static_cast<std::size_t>(at)];
  std::string const what = fmt::format("on {}, lid {} {}", here.name, lid, problem);
  if (!here.is_switch || (table.ports.empty() && has_tables)) {
    std::string const missing = here.is_switch ? fmt::format("{} has no table; {}", here.name, what) : what;
    throw ProfileError(files[here.place.file], here.place.line, missing);
  }
  if (!table.heading) throw ProfileError(path, std::nullopt, what);
  std::filesystem::path const& file = files[table.heading->file];
  throw ProfileError(file, line_of_entry(file, table.heading->line, lid), what);
}

std::string name_of_level(unsigned level) {
  constexpr std::array names{"host", "leaf", "spine", "core"};
  return level < names.size() ? names[level] : fmt::format("level{}", level);
}

std::string level_of(Fabric const& fabric, LinkIndex link) {
  return name_of_level(fabric.node_of(link).level) + '-' + name_of_level(fabric.peer_of(link).level);
}

}  // namespace mpisee_through
