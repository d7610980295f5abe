// Shows the traffic on the links of a fabric as text, CSV, JSON and a picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

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

// A line of the table of links, in all forms.
struct LinkRow {
  std::string node, peer;
  std::uint32_t port = 0, peer_port = 0;
  std::string level;
  Amount amount{};
  std::optional<double> share{};  // of what the link could carry
  std::uint32_t routes = 0;
  LinkFilling const* filling = nullptr;  // null if it is not shown
};
[[nodiscard]] LinkRow row_of(LinkTraffic const& traffic, LinkIndex link);
[[nodiscard]] Json json_of(LinkRow const& row);

struct LinksLayout {
  Measure by = Measure::bytes;
  std::size_t top = 10;
};

[[nodiscard]] Document links(LinkTraffic& traffic, LinksLayout const& layout);
// The table of links for the report.
[[nodiscard]] Json page_table_of_links(LinkTraffic& traffic, LinksLayout const& layout);

// What was read, what is assumed, and what cannot be known, as label and text.
[[nodiscard]] std::vector<Note> facts_of(LinkTraffic const& traffic);

// Draws an SVG of the fabric, level by level. Each half of a cable has the colour and the width of what its end sends.
// selection: the selected part of the traffic, in words. The first function throws OutputError.
void draw_links(std::filesystem::path const& file, LinkTraffic const& traffic, Measure measure,
                std::string const& selection);
void draw_links(std::ostream& out, LinkTraffic const& traffic, Measure measure, std::string const& selection);

// The parts of links(): the columns of links and of levels; what the traffic says of the run.
[[nodiscard]] table::View<LinkRow> view_of_links(Measure by = Measure::bytes);
[[nodiscard]] table::View<LevelLoad> view_of_levels(Measure by);
[[nodiscard]] Json members_of(LinkTraffic const& traffic);

}  // namespace mpisee_through
