// The network of --fabric, as placement needs it: the switches above hosts, and the links between slots.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "fabric/fabric_hosts.hpp"
#include "placement/machine.hpp"
#include "placement/topology_file.hpp"

namespace mpisee_through {

class Network {
 public:
  // names: as for FabricHosts. Throws ProfileError.
  explicit Network(std::filesystem::path const& fabric, std::optional<std::filesystem::path> names = std::nullopt);

  [[nodiscard]] Fabric const& fabric() const { return fabric_; }
  // Throws ProfileError for a host that the fabric lacks.
  [[nodiscard]] FabricHosts ports_of(std::vector<std::string> const& hosts) const;
  // The first level is the leaf switch of each host's first port. The next ones are groups of switches: what is
  // connected through switches up to the second level, up to the third one, and so on, until one group contains all
  // hosts. So several spines count as one switch.
  [[nodiscard]] SwitchTree switches_above(std::vector<std::string> const& hosts) const;

 private:
  Fabric fabric_;
  std::optional<std::filesystem::path> names_;
};

// The links between slots. A host's ports are dealt to its slots in turn; a rank uses the port of its slot.
class SlotRoutes {
 public:
  SlotRoutes(Network const& network, Machine const& machine);

  // Empty for two slots of a host. Throws ProfileError if the forwarding tables do not lead to the destination.
  [[nodiscard]] std::span<LinkIndex const> between(SlotIndex from, SlotIndex to);
  [[nodiscard]] Fabric const& fabric() const { return hosts_.fabric(); }
  // The load of one byte on a link: its seconds if the speed of every link is known, else 1.
  [[nodiscard]] double load_of_byte(LinkIndex link) const {
    return knows_speeds_ ? 1 / fabric().link(link).bytes_per_s : 1;
  }
  [[nodiscard]] bool knows_speeds() const { return knows_speeds_; }

 private:
  Machine const& machine_;
  FabricHosts hosts_;
  bool knows_speeds_;
  std::unordered_map<std::uint64_t, std::vector<LinkIndex>> ways_;  // by the ports at both ends
};

}  // namespace mpisee_through
