// The machine of the run, and the one to place ranks on, from all that is known of them.
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

// Where a rank was.
struct RankPlace {
  std::string host;
  SlotPlace place{};
};
// Of all ranks. Throws ProfileError if there is nothing of one of them.
[[nodiscard]] std::vector<RankPlace> read_rank_places(Profile const& profile);

// What files say of the machine.
class Surroundings {
 public:
  // Paths may be empty. Throws ProfileError.
  Surroundings(std::filesystem::path topology, std::filesystem::path const& node);

  // In place of the file's. Has to have all hosts.
  void set_switches(SwitchTree switches) { topology_ = {std::move(switches), {}}; }

  struct Placed {
    Machine machine;
    Placement placement;
  };
  // A host has as many slots as it has ranks, each where its rank was. Throws ProfileError for a host that the topology
  // lacks.
  [[nodiscard]] Placed present(std::vector<RankPlace> const& ranks) const;
  [[nodiscard]] Machine machine_of(std::vector<HostLine> const& hosts) const;

  // The costs of a tleaf line.
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
