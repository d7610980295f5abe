// Describes the machine of the run and the machine to place ranks on.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "placement/costs.hpp"
#include "placement/host_file.hpp"
#include "placement/machine.hpp"
#include "placement/node_file.hpp"
#include "placement/topology_file.hpp"
#include "reader/profile_reader.hpp"

namespace mpisee_through {

// Where a rank ran.
struct RankPlace {
  std::string host;
  SlotPlace place{};
};
// The places of all ranks. Throws ProfileError if the profile lacks a rank.
[[nodiscard]] std::vector<RankPlace> read_rank_places(Profile const& profile);

// What the files of --topology and --node say about the machine.
class Surroundings {
 public:
  // Paths may be empty. Throws ProfileError.
  Surroundings(std::filesystem::path topology, std::filesystem::path const& node);

  // Replaces the switches of the topology file. They must cover all hosts.
  void set_switches(SwitchTree switches) { topology_ = {std::move(switches), {}}; }

  struct Placed {
    Machine machine;
    Placement placement;
  };
  // The machine of the run: a host has a slot for each of its ranks, where that rank ran. Throws ProfileError for a
  // host that the topology lacks.
  [[nodiscard]] Placed present(std::vector<RankPlace> const& ranks) const;
  [[nodiscard]] Machine machine_of(std::vector<HostLine> const& hosts) const;

  // The costs in a tleaf line of the topology file.
  [[nodiscard]] std::vector<LevelCost> costs_of(Machine const& machine) const;
  [[nodiscard]] bool has_logical_numbers() const { return node_.has_value(); }

 private:
  [[nodiscard]] Machine finish(std::vector<MachineHost> hosts) const;
  void apply_switches(std::vector<MachineHost>& hosts) const;
  void apply_tree(std::vector<MachineHost>& hosts) const;

  std::filesystem::path file_;
  MachineTopology topology_{};
  std::optional<NodeShape> node_{};
};

}  // namespace mpisee_through
