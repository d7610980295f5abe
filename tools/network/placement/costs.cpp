#include "placement/costs.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "files/number_in.hpp"

namespace mpisee_through {
namespace {

struct Default {
  double cost;             // cost of one byte or one message
  double microseconds;     // microseconds a message takes
  double gigabytes_per_s;  // bandwidth of one process
};

// Defaults inside a host: within a core, a NUMA domain, a package, a host. Outside: below one switch, then a step for
// each further level of switches. A byte that leaves the host costs five times the most that a byte costs inside it.
// Times are those of shared memory within a host, and of a 100 Gbit/s network whose adapter several processes share.
constexpr std::array<Default, 4> inside{{{0, 0.2, 12}, {1, 0.3, 10}, {2, 0.4, 8}, {4, 0.6, 6}}};
constexpr Default below_switch{20, 1.5, 2};
constexpr Default each_switch{20, 0.3, 0};

Default default_of(std::size_t level) {
  if (level < inside.size()) return inside[level];
  auto const more = static_cast<double>(level - inside.size());
  return {below_switch.cost + more * each_switch.cost, below_switch.microseconds + more * each_switch.microseconds,
          below_switch.gigabytes_per_s};
}

std::optional<double> cost_in(std::string_view text) {
  auto const number = number_in<double>(text);
  return number && *number >= 0 && *number <= 1e12 ? number : std::nullopt;
}

}  // namespace

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

std::optional<LevelCost> parse_level_cost(std::string_view text) {
  auto const equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  std::string_view const numbers = text.substr(equals + 1);
  auto const colon = numbers.find(':');
  auto const first = cost_in(numbers.substr(0, colon));
  if (!first) return std::nullopt;
  LevelCost cost{std::string(text.substr(0, equals)), *first};
  if (colon == std::string_view::npos) return cost;
  cost.gigabytes_per_s = cost_in(numbers.substr(colon + 1));
  if (!cost.gigabytes_per_s || *cost.gigabytes_per_s == 0) return std::nullopt;
  return cost;
}

Costs::Costs(PlacementWeight weight, std::size_t levels) : weight_(weight), per_message_(levels), per_byte_(levels) {
  for (std::size_t level = 0; level < levels; ++level) {
    Default const one = default_of(level);
    if (weight == PlacementWeight::time) {
      per_message_[level] = one.microseconds;
      per_byte_[level] = 1e-3 / one.gigabytes_per_s;  // microseconds
    } else {
      (weight == PlacementWeight::bytes ? per_byte_ : per_message_)[level] = one.cost;
    }
  }
}

bool Costs::set(LevelCost const& one) {
  auto const level = level_of_name(one.level, levels());
  if (!level || one.gigabytes_per_s.has_value() != (weight_ == PlacementWeight::time)) return false;
  if (weight_ == PlacementWeight::time) {
    per_message_[*level] = one.cost;
    per_byte_[*level] = 1e-3 / *one.gigabytes_per_s;
  } else {
    (weight_ == PlacementWeight::bytes ? per_byte_ : per_message_)[*level] = one.cost;
  }
  return true;
}

double Costs::per_unit(std::size_t level) const {
  return weight_ == PlacementWeight::messages ? per_message_[level] : per_byte_[level];
}

double cost_of(Work const& work, Machine const& machine, Costs const& costs, Placement const& placement) {
  double cost = 0;
  for (std::size_t rank = 0; rank < work.ranks(); ++rank) {
    for (Partner const& partner : work.of(rank)) {
      if (partner.rank < rank) continue;
      cost += costs.of(machine.level_between(placement[rank], placement[partner.rank]), partner);
    }
  }
  return cost;
}

}  // namespace mpisee_through
