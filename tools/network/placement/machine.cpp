#include "placement/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <compare>
#include <numeric>
#include <string_view>
#include <unordered_map>

#include "summary/arrangement.hpp"

namespace mpisee_through {
namespace {

// Compares digits in texts as numbers: package 9 comes before package 10.
std::strong_ordering in_order(std::string const& left, std::string const& right) {
  if (name_less(left, right)) return std::strong_ordering::less;
  if (name_less(right, left)) return std::strong_ordering::greater;
  return left <=> right;
}

bool comes_before(SlotPlace const& left, SlotPlace const& right) {
  for (auto const member : {&SlotPlace::package, &SlotPlace::numa, &SlotPlace::core}) {
    auto const order = in_order(left.*member, right.*member);
    if (order != 0) return order < 0;
  }
  return false;
}

bool is_one(std::string const& number) { return !number.empty() && number.find_first_of(",-") == std::string::npos; }

std::uint8_t innermost_known(SlotPlace const& place) {
  if (is_one(place.core)) return core_level;
  if (is_one(place.numa)) return numa_level;
  if (is_one(place.package)) return package_level;
  return host_level;
}

}  // namespace

std::string level_name(std::size_t level, std::size_t levels) {
  static constexpr std::array<std::string_view, 4> fixed{"core", "numa", "package", "host"};
  if (level + 1 == levels) return "network";
  return level < fixed.size() ? std::string(fixed[level]) : fmt::format("switch{}", level - host_level);
}

Machine::Machine(std::vector<MachineHost> hosts) {
  std::size_t const switches = hosts.empty() ? 0 : hosts.front().switches.size();
  depth_ = host_level + 1 + switches;
  for (MachineHost& host : hosts) {
    hosts_.push_back(std::move(host.name));
    switches_.push_back(std::move(host.switches));
    slot_of_.emplace_back(host.slots.size());
  }
  // Hosts below one switch are adjacent; the switches, like the hosts, are in the order of their first host.
  std::vector<std::size_t> order(hosts_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t level = 0; level < switches; ++level) {
    std::unordered_map<std::string_view, std::size_t> first;
    for (std::size_t i = 0; i < hosts_.size(); ++i) first.emplace(switches_[i][level], i);
    std::ranges::stable_sort(order, {}, [&](std::size_t host) { return first.at(switches_[host][level]); });
  }
  for (std::size_t const host : order) {
    std::vector<std::uint32_t> numbers(hosts[host].slots.size());
    std::iota(numbers.begin(), numbers.end(), 0U);
    std::ranges::stable_sort(numbers, [&](std::uint32_t left, std::uint32_t right) {
      return comes_before(hosts[host].slots[left], hosts[host].slots[right]);
    });
    for (std::uint32_t const number : numbers) {
      slot_of_[host][number] = static_cast<SlotIndex>(slots_.size());
      slots_.push_back({static_cast<std::uint32_t>(host), number, std::move(hosts[host].slots[number])});
    }
  }
  add_places();
}

bool Machine::knows_inside_of_hosts() const {
  return std::ranges::any_of(known_from_, [](std::uint8_t level) { return level < host_level; });
}

void Machine::add_places() {
  for (Slot const& slot : slots_) known_from_.push_back(innermost_known(slot.place));
  place_.resize(slots_.size() * depth_);
  places_of_level_.resize(depth_);
  for (std::size_t level = depth_; level-- > 0;) {
    for (SlotIndex slot = 0; slot < slots_.size(); ++slot) {
      auto const key = [&](Slot const& one) -> std::string const& {
        if (level == core_level) return one.place.core;
        if (level == numa_level) return one.place.numa;
        if (level == package_level) return one.place.package;
        return level == host_level ? hosts_[one.host] : switches_[one.host][level - host_level - 1];
      };
      std::vector<Range>& places = places_of_level_[level];
      bool const has_outer = level + 1 < depth_;
      bool const is_same =
          slot > 0 && (!has_outer || place_[slot * depth_ + level + 1] == place_[(slot - 1) * depth_ + level + 1]) &&
          (level == host_level ? slots_[slot].host == slots_[slot - 1].host
                               : key(slots_[slot]) == key(slots_[slot - 1]));
      if (!is_same) places.push_back({slot, slot});
      places.back().end = slot + 1;
      place_[slot * depth_ + level] = static_cast<std::uint32_t>(places.size() - 1);
    }
  }
}

bool Machine::divides(std::size_t level) const {
  std::size_t const outer = level + 1 < depth_ ? places_of_level_[level + 1].size() : 1;
  return places_of_level_[level].size() > outer;
}

Machine::Range Machine::place_of(SlotIndex slot, std::size_t level) const {
  if (level >= depth_) return {0, static_cast<SlotIndex>(slots_.size())};
  return places_of_level_[level][place_[slot * depth_ + level]];
}

}  // namespace mpisee_through
