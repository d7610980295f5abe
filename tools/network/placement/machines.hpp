// Describes the machine of the run and the machine to place ranks on: from the profile, and from files of the user.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "placement/effects.hpp"
#include "placement/machine.hpp"
#include "reader/profile_reader.hpp"

namespace mpisee_through {

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

// --node FILE.xml: the inside of a host, as hwloc's lstopo writes it.
class NodeShape {
 public:
  // hwloc reads the file: it knows its versions, and where NUMA domains belong. Throws ProfileError.
  explicit NodeShape(std::filesystem::path const& file);

  // The place of a process that may run on these processors: from the operating system's numbers to logical ones.
  // Nothing if the node has none of the processors.
  [[nodiscard]] std::optional<SlotPlace> place_of(std::string_view cpus) const;
  // The place of slot `number` when that many slots are spread over the cores.
  [[nodiscard]] SlotPlace slot(std::size_t number, std::size_t slots) const;

 private:
  struct Core {
    std::uint32_t package, numa;
    std::vector<std::uint32_t> cpus;
  };
  std::vector<Core> cores_;  // by logical number
};

struct MachinePlacement {
  Machine machine;
  Placement placement;
};

// What files say about the machine, apart from its hosts.
struct Surroundings {
  SwitchTree switches{};
  std::optional<NodeShape> node{};

  // The machine of the run: a host has a slot for each of its ranks, where that rank ran.
  [[nodiscard]] MachinePlacement present(std::vector<RankPlace> const& ranks) const;
  [[nodiscard]] Machine machine_of(std::vector<HostLine> const& hosts) const;

 private:
  [[nodiscard]] Machine finish(std::vector<MachineHost> hosts) const;
};

}  // namespace mpisee_through
