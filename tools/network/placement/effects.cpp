#include "placement/effects.hpp"

#include <algorithm>
#include <optional>

#include "files/visible_text.hpp"
#include "summary/arrangement.hpp"
#include "summary/group_by.hpp"
#include "summary/message_rows.hpp"

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

Effects effects_of(Work const& work, Machine const& machine, Costs const& costs, Placement const& placement) {
  Effects effects;
  effects.by_level.resize(machine.levels());
  std::vector<double> const hops = hops_of_levels(machine);
  std::vector<std::uint64_t> leaving(machine.hosts().size(), 0);
  for (std::size_t rank = 0; rank < work.ranks(); ++rank) {
    SlotIndex const from = placement[rank];
    for (Partner const& partner : work.of(rank)) {
      std::size_t const level = machine.level_between(from, placement[partner.rank]);
      effects.by_level[level] += partner.sent;
      effects.hop_bytes += hops[level] * static_cast<double>(partner.sent.bytes);
      if (level <= host_level) continue;
      effects.between_hosts += partner.sent;
      leaving[machine.slots()[from].host] += partner.sent.bytes;
    }
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
  struct Sum {
    Amount all{}, today{}, proposed{};
    void operator+=(Sum const& other) {
      all += other.all;
      today += other.today;
      proposed += other.proposed;
    }
  };
  auto const communicator = [](PeerRow const& row) {
    return is_within_run({row.from, row.to, {}}) ? std::optional(row.communicator) : std::nullopt;
  };
  auto const amounts = [&](PeerRow const& row) {
    auto const between = [&](HostOfRank const& hosts) {
      bool const is_between = hosts[static_cast<std::size_t>(row.from)] != hosts[static_cast<std::size_t>(row.to)];
      return is_between ? amount_of(row) : Amount();
    };
    return Sum{amount_of(row), between(today), between(proposed)};
  };
  auto sums = group_messages(profile, selection, Grouping(communicator, amounts, TextSums<Sum>()));
  std::vector<CommunicatorEffects> list;
  for (auto const& [name, sum] : sums.all()) list.push_back({visible(name), sum.all, sum.today, sum.proposed});
  std::ranges::sort(list, [](auto const& left, auto const& right) {
    if (left.all.bytes != right.all.bytes) return left.all.bytes > right.all.bytes;
    return name_less(left.communicator, right.communicator);
  });
  return list;
}

}  // namespace mpisee_through
