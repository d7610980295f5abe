// The network of --fabric, as placement needs it: the switches above hosts, the links between slots, and their loads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "fabric/fabric_hosts.hpp"
#include "placement/costs.hpp"

namespace mpisee_through {

// The switches above each host, nearest first.
struct SwitchTree {
  std::size_t levels = 0;  // that each host has
  std::unordered_map<std::string, std::vector<std::string>> switches_of_host;
};

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

 private:
  Machine const& machine_;
  FabricHosts hosts_;
  bool knows_speeds_;
  std::unordered_map<std::uint64_t, std::vector<LinkIndex>> ways_;  // by the ports at both ends
};

// What a placement does to links. Messages within a host, to the sender itself and to other worlds pass none.
struct LinkEffects {
  LinkIndex busiest = no_link;  // no_link if no message goes between hosts
  std::uint64_t bytes = 0;      // bytes on the busiest link
  double load = 0;              // load of the busiest link: its bytes times SlotRoutes::load_of_byte()
  std::uint64_t sum = 0;        // bytes summed over all links
  std::size_t used = 0;         // number of links with messages
};

// If several links have the highest load, the busiest is the first of them in the fabric.
[[nodiscard]] LinkEffects link_effects_of(Work const& work, SlotRoutes& routes, Placement const& placement);

}  // namespace mpisee_through
