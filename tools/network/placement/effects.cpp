#include "placement/effects.hpp"

#include <algorithm>

#include "files/visible_text.hpp"
#include "summary/arrangement.hpp"
#include "summary/message_rows.hpp"
#include "summary/text_map.hpp"

namespace mpisee_through {
namespace {

// For each level, the links of the tree on the way up to the innermost place that two slots share and down again. A
// level whose places have one slot each adds no links.
std::vector<double> hops_of_levels(Machine const& machine) {
  std::vector<double> hops;
  double up = 1;
  for (std::size_t level = 0; level < machine.levels(); ++level) {
    hops.push_back(2 * up);
    if (level + 1 == machine.levels()) break;
    bool const is_slot = machine.places(level).size() == machine.slots().size();
    if (machine.divides(level) && !is_slot) up += 1;
  }
  return hops;
}

bool is_within_run(PairTraffic const& pair) {
  return pair.from != other_world && pair.to != other_world && pair.from != pair.to;
}

}  // namespace

Effects effects_of(std::vector<PairTraffic> const& pairs, Work const& work, Machine const& machine, Costs const& costs,
                   Placement const& placement) {
  Effects effects;
  effects.by_level.resize(machine.levels());
  std::vector<double> const hops = hops_of_levels(machine);
  std::vector<std::uint64_t> leaving(machine.hosts().size(), 0);
  for (PairTraffic const& pair : pairs) {
    if (!is_within_run(pair)) continue;
    SlotIndex const from = placement[static_cast<std::size_t>(pair.from)];
    std::size_t const level = machine.level_between(from, placement[static_cast<std::size_t>(pair.to)]);
    effects.by_level[level] += pair.amount;
    effects.hop_bytes += hops[level] * static_cast<double>(pair.amount.bytes);
    if (level <= host_level) continue;
    effects.between_hosts += pair.amount;
    leaving[machine.slots()[from].host] += pair.amount.bytes;
  }
  auto const busiest = std::ranges::max_element(leaving);
  effects.most_bytes_leaving = *busiest;
  effects.busiest_host = machine.hosts()[static_cast<std::size_t>(busiest - leaving.begin())];
  effects.cost = cost_of(work, machine, costs, placement);
  return effects;
}

HostOfRank hosts_of(Machine const& machine, Placement const& placement, std::size_t ranks) {
  HostOfRank hosts;
  for (std::size_t rank = 0; rank < ranks; ++rank) hosts.push_back(machine.slots()[placement[rank]].host);
  return hosts;
}

std::vector<CommunicatorEffects> effects_by_communicator(Profile const& profile, Selection const& selection,
                                                         HostOfRank const& today, HostOfRank const& proposed) {
  using Sums = TextMap<CommunicatorEffects>;
  auto const add = [&](Sums& sums, PeerRow const& row, Amount const& amount, bool is_selected) {
    if (!is_selected || !is_within_run({row.from, row.to, {}})) return;
    auto sum = sums.find(row.communicator);
    if (sum == sums.end()) sum = sums.emplace(row.communicator, CommunicatorEffects{}).first;
    auto const from = static_cast<std::size_t>(row.from), to = static_cast<std::size_t>(row.to);
    sum->second.all += amount;
    if (today[from] != today[to]) sum->second.today += amount;
    if (proposed[from] != proposed[to]) sum->second.proposed += amount;
  };
  auto const parts = read_messages<Sums>(profile, selection, add);
  Sums all;
  for (Sums const& part : parts) {
    for (auto const& [name, some] : part) {
      CommunicatorEffects& sum = all[name];
      sum.all += some.all;
      sum.today += some.today;
      sum.proposed += some.proposed;
    }
  }
  std::vector<CommunicatorEffects> list;
  for (auto& [name, sum] : all) {
    sum.communicator = visible(name);
    list.push_back(sum);
  }
  std::ranges::sort(list, [](auto const& left, auto const& right) {
    if (left.all.bytes != right.all.bytes) return left.all.bytes > right.all.bytes;
    return name_less(left.communicator, right.communicator);
  });
  return list;
}

}  // namespace mpisee_through
