// Where ranks can be: a tree of switches, hosts, packages, NUMA domains and cores. A slot has room for one rank,
// and lies in a core.
//
// A level says how near two slots are: it is that of the innermost place that both share. Level 0 is a core, host_level
// a host; the levels above are switches; the last level is the network, which all hosts share. A level of which nothing
// is known has one place in each place above it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "files/rank_set.hpp"

namespace mpisee_through {

using SlotIndex = std::uint32_t;

inline constexpr std::size_t core_level = 0, numa_level = 1, package_level = 2, host_level = 3;

// Where a slot is in its host. Numbers are in the notation of RankSet: a process that may run on two packages has
// "0-1".
struct SlotPlace {
  std::string package{}, numa{}, core{};
  std::string cpus{};  // processors, by the operating system's numbers
};

struct Slot {
  std::uint32_t host;    // index into Machine::hosts()
  std::uint32_t number;  // within the host, from 0
  SlotPlace place{};
};

// A host, and the switches above it, nearest first.
struct MachineHost {
  std::string name;
  std::vector<std::string> switches{};
  std::vector<SlotPlace> slots{};
};

class Machine {
 public:
  // All hosts need the same number of switches.
  explicit Machine(std::vector<MachineHost> hosts);

  [[nodiscard]] std::vector<std::string> const& hosts() const { return hosts_; }
  // In the order of the tree: slots of one place are adjacent.
  [[nodiscard]] std::vector<Slot> const& slots() const { return slots_; }
  [[nodiscard]] std::size_t levels() const { return places_of_level_.size() + 1; }
  // Whether some place of the next level has several places of this level.
  [[nodiscard]] bool divides(std::size_t level) const;

  [[nodiscard]] std::size_t level_between(SlotIndex one, SlotIndex other) const {
    std::uint32_t const* left = &place_[one * depth_];
    std::uint32_t const* right = &place_[other * depth_];
    std::size_t level = known_from_[one];
    while (level < depth_ && left[level] != right[level]) ++level;
    return level;
  }
  [[nodiscard]] bool knows_inside_of_hosts() const;

  struct Range {
    SlotIndex begin, end;
    [[nodiscard]] std::size_t size() const { return end - begin; }
  };
  // The slots of the place that contains this slot; at the last level, all slots.
  [[nodiscard]] Range place_of(SlotIndex slot, std::size_t level) const;
  [[nodiscard]] std::vector<Range> const& places(std::size_t level) const { return places_of_level_[level]; }

  [[nodiscard]] std::size_t slots_of(std::size_t host) const { return slot_of_[host].size(); }
  // The slot with this number on the host, both as given to the constructor.
  [[nodiscard]] SlotIndex slot(std::size_t host, std::size_t number) const { return slot_of_[host][number]; }

 private:
  void add_places();

  std::vector<std::string> hosts_;
  std::vector<std::vector<std::string>> switches_;  // by host
  std::vector<Slot> slots_;
  std::size_t depth_;
  std::vector<std::uint32_t> place_;  // by slot and level, without the last level
  // By slot, the innermost level at which its place is known. A process that may run on two cores has no known core.
  std::vector<std::uint8_t> known_from_;
  std::vector<std::vector<Range>> places_of_level_;
  std::vector<std::vector<SlotIndex>> slot_of_;
};

// The name of a level, on machines with this many levels: core, numa, package, host, switch1, …, network.
[[nodiscard]] std::string level_name(std::size_t level, std::size_t levels);

}  // namespace mpisee_through
