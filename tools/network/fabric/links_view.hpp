// Shows the traffic on the links of a fabric in all forms, and draws it for the page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>

#include "fabric/link_loads.hpp"
#include "files/json.hpp"
#include "table/document.hpp"

namespace mpisee_through {

// The path of a fabric's files, and how to read them.
struct FabricSource {
  std::filesystem::path path;                             // as read_fabric() has it
  std::optional<std::filesystem::path> names_of_hosts{};  // as for FabricHosts
  RouteChoice choice{};
};

struct LinkTraffic {
  Overview const& overview;
  FabricHosts const& hosts;
  LinkMessages messages;
  RankRoutes routes;
  LinkLoads loads;
  std::optional<std::uint64_t> bytes_sent;  // as read_bytes_sent() has it
  std::uint64_t without_estimate;           // as read_bytes_without_estimate() has it
  bool is_of_transport;                     // the messages are those that the MPI gave to its transport
  std::optional<SeenByTransport> seen_by_transport;

  [[nodiscard]] Fabric const& fabric() const { return hosts.fabric(); }
};

// Finds the routes of the selected messages, or of what the transport was given if prefer_transport() says so. Throws
// ProfileError and SelectionError. The result refers to all arguments.
[[nodiscard]] LinkTraffic read_link_traffic(Profile const& profile, Selection const& selection,
                                            Overview const& overview, FabricHosts const& hosts,
                                            RouteChoice const& choice);

struct LinksLayout {
  Measure by = Measure::bytes;
  std::size_t top = 10;
  bool has_picture = false;  // of the network, for a page
  std::string selection{};   // the selected part of the traffic, in words, for the picture
};
inline constexpr std::size_t most_links_of_page = 200;

[[nodiscard]] Document links(LinkTraffic& traffic, LinksLayout const& layout);

// Draws an SVG of the fabric, level by level. Each half of a cable has the colour and the width of the bytes that its
// end sends.
void draw_links(std::ostream& out, LinkTraffic const& traffic, std::string const& selection);

}  // namespace mpisee_through
