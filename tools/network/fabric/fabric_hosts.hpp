#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "fabric/fabric.hpp"
#include "summary/overview.hpp"

namespace mpisee_through {

// A host, and the number of the port through which data leaves it, modulo its number of ports. The data arrives at the
// port with this number, too.
struct HostPort {
  HostIndex host;
  std::uint32_t rail = 0;
};

// Finds the adapters' ports of the hosts of a profile. A node's description begins with the name of its host, "node01
// HCA-1"; names match also without their domains. A file "hosts" in the fabric's directory has a line for each
// exception, "HOST DESCRIPTION" or "HOST GUID" (of a node or a port); several lines of a host name several ports.
class FabricHosts {
 public:
  // Throws ProfileError for a host without a port.
  FabricHosts(Fabric const& fabric, std::span<std::string const> hosts);

  [[nodiscard]] Fabric const& fabric() const { return fabric_; }
  // The host's ports with a cable, in the order of the fabric; at least one.
  [[nodiscard]] std::span<LinkIndex const> ports(HostIndex host) const {
    return ports_[static_cast<std::size_t>(host)];
  }
  [[nodiscard]] bool has_several_ports() const;

  struct Ends {
    LinkIndex from, to;
    auto operator<=>(Ends const&) const = default;
  };
  // The two ports of a way between two hosts, with a cable or a network between them. Throws ProfileError if there are
  // none.
  [[nodiscard]] Ends ends(HostPort from, HostIndex to) const;

 private:
  void read_exceptions(std::filesystem::path const& path, std::span<std::string const> hosts);
  void match_descriptions(std::span<std::string const> hosts);
  void check(std::span<std::string const> hosts) const;
  void add_ports(std::size_t host, FabricNode const& node);
  [[nodiscard]] bool are_connected(LinkIndex one, LinkIndex other) const;

  Fabric const& fabric_;
  std::vector<std::vector<LinkIndex>> ports_;
};

}  // namespace mpisee_through
