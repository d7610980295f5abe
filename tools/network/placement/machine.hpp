// Where ranks can be: a tree of switches, hosts, packages, NUMA domains and cores. A slot has room for one rank,
// and lies in a core.
//
// A level says how near two slots are: it is that of the innermost place that both share. Level 0 is a core, host_level
// a host; the levels above are switches; the last level is the network, which all hosts share. A level of which nothing
// is known has one place in each place above it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>
#include <vector>

#include "fabric/fabric.hpp"
#include "reader/profile_reader.hpp"

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

// Where a rank ran.
struct RankPlace {
  std::string host;
  SlotPlace place{};
};
// The places of all ranks. Throws ProfileError if the profile lacks a rank.
[[nodiscard]] std::vector<RankPlace> read_rank_places(Profile const& profile);

// --hosts FILE: other hosts than those of the run. Lines "node[01-16] slots=64", "node01:64" or "node01"; # begins a
// comment. A host named in several lines gets the slots of all of them. Throws a ProfileError that names file and line.
struct HostLine {
  std::string name;
  std::size_t slots = 1;
};
[[nodiscard]] std::vector<HostLine> read_host_file(std::filesystem::path const& file);

// The switches above each host, nearest first, for all hosts equally many; empty if nothing is known of them.
using SwitchTree = std::unordered_map<std::string, std::vector<std::string>>;
// Of --fabric. The first level is the leaf switch of each host's first port. The next ones are groups of switches: what
// is connected through switches up to the second level, up to the third one, and so on, until one group contains all
// hosts. So several spines count as one switch. Throws ProfileError for a host that the fabric lacks.
[[nodiscard]] SwitchTree switches_above(Fabric const& fabric, std::vector<std::string> const& hosts);

// The slot of each rank. Ranks beyond those of the run stand for empty slots, so that each slot has one.
using Placement = std::vector<SlotIndex>;

struct MachinePlacement {
  Machine machine;
  Placement placement;
};

// The machine of the run: a host has a slot for each of its ranks, where that rank ran. switches: of all hosts.
[[nodiscard]] MachinePlacement machine_of_run(std::vector<RankPlace> const& ranks, SwitchTree const& switches);
// Other hosts, of whose inside nothing is known.
[[nodiscard]] Machine machine_of(std::vector<HostLine> const& hosts, SwitchTree const& switches);

}  // namespace mpisee_through
