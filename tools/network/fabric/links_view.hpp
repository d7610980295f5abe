// Shows the traffic on the links of a fabric in all forms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "fabric/link_loads.hpp"
#include "table/document.hpp"

namespace mpisee_through {

struct LinkTraffic {
  Overview const& overview;
  FabricHosts const& hosts;
  LinkMessages messages;
  RankRoutes routes;
  LinkLoads loads;
  std::optional<std::uint64_t> bytes_sent;  // as read_bytes_sent() has it
  bool is_of_transport;                     // the messages are those that the MPI gave to its transport
  bool is_everything;                       // nothing is selected

  [[nodiscard]] Fabric const& fabric() const { return hosts.fabric(); }
};

// Finds the routes of the selected messages, or of what the transport was given if prefer_transport() says so. Throws
// ProfileError and SelectionError. The result refers to all arguments.
[[nodiscard]] LinkTraffic read_link_traffic(Profile const& profile, Selection const& selection,
                                            Overview const& overview, FabricHosts const& hosts);

struct LinksLayout {
  Measure by = Measure::bytes;
  std::size_t top = 10;
  bool has_picture = false;  // of the network, for a page
};
inline constexpr std::size_t most_links_of_page = 200;

[[nodiscard]] Document links(LinkTraffic const& traffic, LinksLayout const& layout);

}  // namespace mpisee_through
