#include "placement/effects.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace mpisee_through {
Work::Work(std::vector<PairTraffic> const& pairs, std::size_t ranks) : first_(ranks + 1, 0) {
  std::vector<std::pair<std::uint32_t, Partner>> sides;
  sides.reserve(2 * pairs.size());
  for (PairTraffic const& pair : pairs) {
    if (pair.from == pair.to || pair.from == other_world || pair.to == other_world) continue;
    auto const from = static_cast<std::uint32_t>(pair.from), to = static_cast<std::uint32_t>(pair.to);
    sides.push_back({from, {.rank = to, .sent = pair.amount, .received = {}}});
    sides.push_back({to, {.rank = from, .sent = {}, .received = pair.amount}});
  }
  std::ranges::sort(sides, {}, [](auto const& one) { return std::tuple(one.first, one.second.rank); });
  std::size_t last = ranks;
  for (auto const& [rank, partner] : sides) {
    if (rank == last && partners_.back().rank == partner.rank) {
      partners_.back().sent += partner.sent;
      partners_.back().received += partner.received;
      continue;
    }
    last = rank;
    partners_.push_back(partner);
    ++first_[rank + 1];
  }
  for (std::size_t rank = 0; rank < ranks; ++rank) first_[rank + 1] += first_[rank];
}

double cost_of_level(std::size_t level) {
  // Within a core, a NUMA domain, a package, a host; then below one switch, and a step for each further level of them.
  constexpr std::array<double, 4> inside{0, 1, 2, 4};
  return level < inside.size() ? inside[level] : 20 * static_cast<double>(level - host_level);
}

double cost_of(Work const& work, Machine const& machine, Measure weight, Placement const& placement) {
  double cost = 0;
  for (std::size_t rank = 0; rank < work.ranks(); ++rank)
    for (Partner const& partner : work.of(rank))
      if (partner.rank > rank)
        cost +=
            cost_of_level(machine.level_between(placement[rank], placement[partner.rank])) * partner.exchanged(weight);
  return cost;
}

LinkEffects link_effects_of(Work const& work, Machine const& machine, FabricHosts const& hosts,
                            Placement const& placement) {
  Fabric const& fabric = hosts.fabric();
  std::vector<std::uint64_t> bytes(fabric.links.size(), 0);
  for (std::size_t rank = 0; rank < work.ranks(); ++rank) {
    Slot const& from = machine.slots()[placement[rank]];
    for (Partner const& partner : work.of(rank)) {
      HostIndex const to{machine.slots()[placement[partner.rank]].host};
      if (HostIndex{from.host} == to || partner.sent.bytes == 0) continue;
      FabricHosts::Ends const ends = hosts.ends({HostIndex{from.host}, from.number}, to);
      for (LinkIndex const link : fabric.route(ends.from, ends.to))
        bytes[static_cast<std::size_t>(link)] += partner.sent.bytes;
    }
  }
  bool const knows_speeds = std::ranges::all_of(
      fabric.links, [](FabricLink const& link) { return link.back == no_link || link.bytes_per_s > 0; });
  LinkEffects effects;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == 0) continue;
    ++effects.used;
    effects.sum += bytes[i];
    double const load = static_cast<double>(bytes[i]) * (knows_speeds ? 1 / fabric.links[i].bytes_per_s : 1);
    if (load > effects.load)
      effects.busiest = LinkIndex{static_cast<std::uint32_t>(i)}, effects.bytes = bytes[i], effects.load = load;
  }
  return effects;
}

Effects effects_of(Work const& work, Machine const& machine, Measure weight, FabricHosts const* hosts,
                   Placement const& placement) {
  Effects effects;
  effects.by_level.resize(machine.levels());
  std::vector<std::uint64_t> leaving(machine.hosts().size(), 0);
  for (std::size_t rank = 0; rank < work.ranks(); ++rank) {
    SlotIndex const from = placement[rank];
    for (Partner const& partner : work.of(rank)) {
      std::size_t const level = machine.level_between(from, placement[partner.rank]);
      effects.by_level[level] += partner.sent;
      if (level <= host_level) continue;
      effects.between_hosts += partner.sent;
      leaving[machine.slots()[from].host] += partner.sent.bytes;
    }
  }
  auto const busiest = std::ranges::max_element(leaving);
  effects.most_bytes_leaving = *busiest;
  effects.busiest_host = machine.hosts()[static_cast<std::size_t>(busiest - leaving.begin())];
  effects.cost = cost_of(work, machine, weight, placement);
  if (hosts != nullptr) effects.links = link_effects_of(work, machine, *hosts, placement);
  return effects;
}

}  // namespace mpisee_through
