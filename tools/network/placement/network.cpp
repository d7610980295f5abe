#include "placement/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "fabric/fabric.hpp"

namespace mpisee_through {
namespace {

// Sets of connected nodes (union-find).
class Groups {
 public:
  explicit Groups(std::size_t nodes) : parent_(nodes) { std::iota(parent_.begin(), parent_.end(), 0U); }

  std::uint32_t of(NodeIndex node) {
    auto at = static_cast<std::uint32_t>(node);
    while (parent_[at] != at) at = parent_[at] = parent_[parent_[at]];
    return at;
  }
  void join(NodeIndex one, NodeIndex other) { parent_[of(one)] = of(other); }

 private:
  std::vector<std::uint32_t> parent_;
};

void join_switches(Groups& groups, Fabric const& fabric, unsigned highest) {
  auto const counts = [&](FabricNode const& node) { return node.is_switch && node.level <= highest; };
  for (FabricLink const& link : fabric.links)
    if (link.back != no_link && counts(fabric.node(link.node)) && counts(fabric.node_of(link.back)))
      groups.join(link.node, fabric.link(link.back).node);
}

bool knows_all_speeds(Fabric const& fabric) {
  return std::ranges::all_of(fabric.links,
                             [](FabricLink const& link) { return link.back == no_link || link.bytes_per_s > 0; });
}

}  // namespace

Network::Network(std::filesystem::path const& fabric, std::optional<std::filesystem::path> names)
    : fabric_(read_fabric(fabric)), names_(std::move(names)) {}

FabricHosts Network::ports_of(std::vector<std::string> const& hosts) const { return {fabric_, hosts, names_}; }

SwitchTree Network::switches_above(std::vector<std::string> const& hosts) const {
  FabricHosts const ports = ports_of(hosts);
  SwitchTree tree;
  Groups groups(fabric_.nodes.size());
  for (unsigned level = 1; level <= std::max(1U, fabric_.levels()); ++level) {
    if (level > 1) join_switches(groups, fabric_, level);
    bool has_one_group = true;
    std::optional<std::uint32_t> first;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      LinkIndex const port = ports.ports(HostIndex{static_cast<std::uint32_t>(i)}).front();
      std::uint32_t const group = groups.of(fabric_.link(fabric_.link(port).back).node);
      has_one_group = has_one_group && group == first.value_or(group);
      first = group;
      auto& switches = tree.switches_of_host[hosts[i]];
      // A host may be listed twice.
      if (switches.size() < level) switches.push_back(fmt::format("{}", group));
    }
    tree.levels = level;
    if (has_one_group) break;
  }
  return tree;
}

SlotRoutes::SlotRoutes(Network const& network, Machine const& machine)
    : machine_(machine), hosts_(network.ports_of(machine.hosts())), knows_speeds_(knows_all_speeds(network.fabric())) {}

std::span<LinkIndex const> SlotRoutes::between(SlotIndex from, SlotIndex to) {
  Slot const &one = machine_.slots()[from], &other = machine_.slots()[to];
  if (one.host == other.host) return {};
  FabricHosts::Ends const ends = hosts_.ends({HostIndex{one.host}, one.number}, HostIndex{other.host});
  auto const key =
      std::uint64_t{static_cast<std::uint32_t>(ends.from)} << 32U | std::uint64_t{static_cast<std::uint32_t>(ends.to)};
  auto const [known, is_new] = ways_.try_emplace(key);
  if (is_new) fabric().add_route(ends.from, ends.to, 0, known->second);
  return known->second;
}

LinkEffects link_effects_of(Work const& work, SlotRoutes& routes, Placement const& placement) {
  std::vector<std::uint64_t> bytes(routes.fabric().links.size(), 0);
  for (std::size_t rank = 0; rank < work.ranks(); ++rank)
    for (Partner const& partner : work.of(rank))
      for (LinkIndex const link : routes.between(placement[rank], placement[partner.rank]))
        bytes[static_cast<std::size_t>(link)] += partner.sent.bytes;
  LinkEffects effects;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == 0) continue;
    LinkIndex const link{static_cast<std::uint32_t>(i)};
    ++effects.used;
    effects.sum += bytes[i];
    double const load = static_cast<double>(bytes[i]) * routes.load_of_byte(link);
    if (load > effects.load) effects.busiest = link, effects.bytes = bytes[i], effects.load = load;
  }
  return effects;
}

}  // namespace mpisee_through
