#include "placement/machines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "files/profile_error.hpp"
#include "files/visible_text.hpp"

namespace mpisee_through {
namespace {

std::string short_name(std::string const& host) { return host.substr(0, host.find('.')); }

// The place of a slot when the host's slots are spread evenly over its packages, NUMA domains and cores.
SlotPlace spread(HostLine const& host, std::size_t number) {
  auto const of = [&](std::optional<std::size_t> parts) {
    return parts ? fmt::format("{}", number * *parts / host.slots) : std::string();
  };
  return {of(host.packages), of(host.numa), of(host.cores)};
}

// The index of the tree's first level inside hosts: from there on down the tree has as many leaves as a host has slots.
std::optional<std::size_t> host_depth(TreeLine const& tree, std::size_t hosts, std::size_t slots) {
  std::size_t const depth = tree.children.size();
  auto const product = [&](std::size_t begin, std::size_t end) {
    return std::accumulate(
        tree.children.begin() + static_cast<std::ptrdiff_t>(begin),
        tree.children.begin() + static_cast<std::ptrdiff_t>(end), std::size_t{1},
        [](std::size_t all, std::size_t some) { return std::min(all * some, std::size_t{1} << 32); });
  };
  for (std::size_t i = 0; i <= depth; ++i)
    if (product(i, depth) == slots && product(0, i) >= hosts) return i;
  if (product(0, depth) == hosts) return depth;
  return std::nullopt;
}

}  // namespace

std::vector<RankPlace> read_rank_places(Profile const& profile) {
  if (profile.run().lacks_ranks())
    throw ProfileError(profile.directory(), std::nullopt,
                       fmt::format("the profile has nothing of ranks {}: no placement without them",
                                   profile.run().unfinished->missing.to_string()));
  std::vector<RankPlace> places;
  RankRows rows(profile);
  while (RankRow const* row = rows.next())
    places.push_back(
        {visible(row->host),
         {std::string(row->package), std::string(row->numa), std::string(row->core), std::string(row->cpus)}});
  return places;
}

Surroundings::Surroundings(std::filesystem::path topology, std::filesystem::path const& node)
    : file_(std::move(topology)) {
  if (!file_.empty()) topology_ = read_topology_file(file_);
  if (!node.empty()) node_.emplace(node);
}

Surroundings::Placed Surroundings::present(std::vector<RankPlace> const& ranks) const {
  std::vector<MachineHost> hosts;
  std::unordered_map<std::string, std::size_t> number_of;
  std::vector<std::pair<std::size_t, std::size_t>> where;  // host, and number of the slot on it
  for (RankPlace const& rank : ranks) {
    auto const [host, is_new] = number_of.emplace(rank.host, hosts.size());
    if (is_new) hosts.push_back({rank.host});
    auto& slots = hosts[host->second].slots;
    where.emplace_back(host->second, slots.size());
    auto const by_node = node_ ? node_->place_of(rank.place.cpus) : std::nullopt;
    slots.push_back(by_node.value_or(rank.place));
  }
  Placed placed{finish(std::move(hosts)), {}};
  for (auto const& [host, number] : where) placed.placement.push_back(placed.machine.slot(host, number));
  return placed;
}

Machine Surroundings::machine_of(std::vector<HostLine> const& lines) const {
  std::vector<MachineHost> hosts;
  for (HostLine const& line : lines) {
    hosts.push_back({line.name});
    bool const is_said = line.packages || line.numa || line.cores;
    for (std::size_t i = 0; i < line.slots; ++i)
      hosts.back().slots.push_back(node_ && !is_said ? node_->slot(i, line.slots) : spread(line, i));
  }
  return finish(std::move(hosts));
}

Machine Surroundings::finish(std::vector<MachineHost> hosts) const {
  if (topology_.switches.levels > 0) apply_switches(hosts);
  if (!topology_.tree.children.empty()) apply_tree(hosts);
  return Machine(std::move(hosts));
}

void Surroundings::apply_switches(std::vector<MachineHost>& hosts) const {
  auto const& known = topology_.switches.switches_of_host;
  for (MachineHost& host : hosts) {
    auto found = known.find(host.name);
    if (found == known.end()) found = known.find(short_name(host.name));
    if (found == known.end()) throw ProfileError(file_, std::nullopt, fmt::format("has no host {}", host.name));
    host.switches = found->second;
  }
}

void Surroundings::apply_tree(std::vector<MachineHost>& hosts) const {
  TreeLine const& tree = topology_.tree;
  std::size_t most = 0;
  for (MachineHost const& host : hosts) most = std::max(most, host.slots.size());
  auto const depth = host_depth(tree, hosts.size(), most);
  if (!depth)
    throw ProfileError(
        file_, 1, fmt::format("no level of the tree has {} hosts or more with {} leaves each", hosts.size(), most));
  if (tree.children.size() - *depth > host_level + 1)
    throw ProfileError(file_, 1, fmt::format("has more than {} levels inside a host", host_level + 1));
  for (std::size_t host = 0; host < hosts.size(); ++host) {
    std::size_t node = host;
    for (std::size_t level = *depth; level-- > 1;) {
      node /= tree.children[level];
      hosts[host].switches.push_back(fmt::format("{}", node));
    }
    for (std::size_t i = 0; i < hosts[host].slots.size(); ++i) {
      SlotPlace& place = hosts[host].slots[i];
      std::size_t leaves = most, level = *depth;
      for (std::string* part : {&place.package, &place.numa, &place.core}) {
        bool const is_there = level + 1 < tree.children.size();
        if (is_there) leaves /= tree.children[level++];
        *part = is_there ? fmt::format("{}", i / leaves) : std::string();
      }
    }
  }
}

std::vector<LevelCost> Surroundings::costs_of(Machine const& machine) const {
  std::vector<LevelCost> costs;
  TreeLine const& tree = topology_.tree;
  if (tree.children.empty()) return costs;
  std::size_t const depth = machine.levels() - 1 - host_level;
  for (std::size_t part = 0; part < tree.costs.size(); ++part) {
    std::size_t const level = host_level + depth - part;
    costs.push_back({machine.name_of_level(level), tree.costs[part]});
  }
  return costs;
}

}  // namespace mpisee_through
