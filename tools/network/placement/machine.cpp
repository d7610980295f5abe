#include "placement/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "files/profile_error.hpp"
#include "files/text_lines.hpp"
#include "files/visible_text.hpp"

namespace mpisee_through {

namespace {

// Compares digits in texts as numbers: package 9 comes before package 10.
bool comes_before(SlotPlace const& left, SlotPlace const& right) {
  for (auto const member : {&SlotPlace::package, &SlotPlace::numa, &SlotPlace::core})
    if (int const order = ::strverscmp((left.*member).c_str(), (right.*member).c_str()); order != 0) return order < 0;
  return false;
}

bool is_one(std::string const& number) { return !number.empty() && number.find_first_of(",-") == std::string::npos; }

std::uint8_t innermost_known(SlotPlace const& place) {
  if (is_one(place.core)) return core_level;
  if (is_one(place.numa)) return numa_level;
  if (is_one(place.package)) return package_level;
  return host_level;
}

constexpr std::size_t most_slots = 1'000'000;

// The hosts of a line, with the slots of each.
std::vector<HostLine> parse_host_line(std::filesystem::path const& file, TextLine const& line) {
  auto const fail = [&](std::string const& problem) { throw ProfileError(file, line.number, problem); };
  std::size_t slots = 1;
  auto const read_slots = [&](std::string_view number, std::string_view word) {
    slots = number_in<std::size_t>(number).value_or(0);
    if (slots == 0 || slots > most_slots) fail(fmt::format("\"{}\" has no number from 1 on", word));
  };
  auto const words = words_of(line.text);
  std::string_view const names = words.front().substr(0, words.front().rfind(':'));
  if (names.size() < words.front().size()) read_slots(words.front().substr(names.size() + 1), words.front());
  constexpr std::string_view key = "slots=";
  for (std::string_view const word : std::span(words).subspan(1)) {
    if (!word.starts_with(key)) fail(fmt::format("\"{}\" is not slots=N", word));
    read_slots(word.substr(key.size()), word);
  }
  auto const hosts = expand_host_list(names);
  if (!hosts) fail(fmt::format("\"{}\" is no name of a host, and no list like node[01-16]", names));
  std::vector<HostLine> lines;
  for (std::string const& name : *hosts) lines.push_back({name, slots});
  return lines;
}

Machine with_switches(std::vector<MachineHost> hosts, SwitchTree const& switches) {
  if (!switches.empty())
    for (MachineHost& host : hosts) host.switches = switches.at(host.name);
  return Machine(std::move(hosts));
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

Machine::Range Machine::place_of(SlotIndex slot, std::size_t level) const {
  if (level >= depth_) return {0, static_cast<SlotIndex>(slots_.size())};
  return places_of_level_[level][place_[slot * depth_ + level]];
}

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

std::vector<HostLine> read_host_file(std::filesystem::path const& file) {
  std::vector<HostLine> hosts;
  std::unordered_map<std::string, std::size_t> place_of;
  std::size_t slots = 0;
  for (TextLine const& line : read_text_lines(file)) {
    for (HostLine const& host : parse_host_line(file, line)) {
      slots += host.slots;
      if (slots > most_slots) throw ProfileError(file, line.number, "more than a million slots");
      auto const [known, is_new] = place_of.emplace(host.name, hosts.size());
      if (is_new) hosts.push_back(host);
      else hosts[known->second].slots += host.slots;
    }
  }
  if (hosts.empty()) throw ProfileError(file, std::nullopt, "names no host");
  return hosts;
}

SwitchTree switches_above(Fabric const& fabric, std::vector<std::string> const& hosts) {
  FabricHosts const ports(fabric, hosts);
  SwitchTree tree;
  for (unsigned level = 1; level <= std::max(1U, fabric.levels()); ++level) {
    std::vector<std::uint32_t> const groups = fabric.connected_up_to(level == 1 ? 0 : level);
    std::set<std::uint32_t> all;
    for (std::size_t i = 0; i < hosts.size(); ++i) {
      LinkIndex const port = ports.ports(HostIndex{static_cast<std::uint32_t>(i)}).front();
      std::uint32_t const group = groups[static_cast<std::size_t>(fabric.link(fabric.link(port).back).node)];
      tree[hosts[i]].push_back(fmt::format("{}", group));
      all.insert(group);
    }
    if (all.size() == 1) break;
  }
  return tree;
}

MachinePlacement machine_of_run(std::vector<RankPlace> const& ranks, SwitchTree const& switches) {
  std::vector<MachineHost> hosts;
  std::unordered_map<std::string, std::size_t> number_of;
  std::vector<std::pair<std::size_t, std::size_t>> where;  // host, and number of the slot on it
  for (RankPlace const& rank : ranks) {
    auto const [host, is_new] = number_of.emplace(rank.host, hosts.size());
    if (is_new) hosts.push_back({rank.host});
    auto& slots = hosts[host->second].slots;
    where.emplace_back(host->second, slots.size());
    slots.push_back(rank.place);
  }
  MachinePlacement placed{with_switches(std::move(hosts), switches), {}};
  for (auto const& [host, number] : where) placed.placement.push_back(placed.machine.slot(host, number));
  return placed;
}

Machine machine_of(std::vector<HostLine> const& lines, SwitchTree const& switches) {
  std::vector<MachineHost> hosts;
  for (HostLine const& line : lines) hosts.push_back({line.name, {}, std::vector<SlotPlace>(line.slots)});
  return with_switches(std::move(hosts), switches);
}

}  // namespace mpisee_through
