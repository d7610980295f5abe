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
  // names: as FabricHosts has them. Throws ProfileError.
  explicit Network(std::filesystem::path const& fabric, std::optional<std::filesystem::path> names = std::nullopt);

  [[nodiscard]] Fabric const& fabric() const { return fabric_; }
  // Throws ProfileError for a host that the fabric lacks.
  [[nodiscard]] FabricHosts ports_of(std::vector<std::string> const& hosts) const;
  // The leaf of each host's first port; above it, whatever is connected through switches up to the second level, the
  // third one, and so on, until that has all of the hosts. Several spines are one switch so.
  [[nodiscard]] SwitchTree switches_above(std::vector<std::string> const& hosts) const;

 private:
  Fabric fabric_;
  std::optional<std::filesystem::path> names_;
};

// The links from slot to slot. A rank uses the port of its host that its slot has by number, counted around.
class SlotRoutes {
 public:
  SlotRoutes(Network const& network, Machine const& machine);

  // None within a host. Throws ProfileError where the tables lead nowhere.
  [[nodiscard]] std::span<LinkIndex const> between(SlotIndex from, SlotIndex to);
  [[nodiscard]] Fabric const& fabric() const { return hosts_.fabric(); }
  // How much a byte loads a link: its seconds if the speed of every link is known, else 1.
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
