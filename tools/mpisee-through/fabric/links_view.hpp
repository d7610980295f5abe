// Traffic on the links of a fabric, as text, CSV, JSON and a picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "fabric/link_loads.hpp"
#include "files/json.hpp"
#include "table/view.hpp"
#include "views/views.hpp"

namespace mpisee_through {

// Where a fabric is, and how to read it.
struct FabricSource {
  std::filesystem::path path;                             // as read_fabric() has it
  std::optional<std::filesystem::path> names_of_hosts{};  // as FabricHosts has it
  RouteChoice choice{};
};

struct LinkTraffic {
  Overview const& overview;
  FabricHosts const& hosts;
  LinkMessages messages;
  RankRoutes routes;
  LinkLoads loads;

  [[nodiscard]] Fabric const& fabric() const { return hosts.fabric(); }
};

// Follows the messages of the selection. Throws ProfileError and SelectionError. What it is given has to outlive it.
[[nodiscard]] LinkTraffic read_link_traffic(Profile const& profile, Selection const& selection,
                                            Overview const& overview, FabricHosts const& hosts,
                                            RouteChoice const& choice);

// What is told of a link, in all forms.
struct LinkRow {
  std::string node, peer;
  std::uint32_t port = 0, peer_port = 0;
  std::string level;
  Amount amount{};
  std::optional<double> share{};  // of what it could carry
  std::uint32_t routes = 0;
};
[[nodiscard]] LinkRow row_of(LinkTraffic const& traffic, LinkIndex link);
[[nodiscard]] Json json_of(LinkRow const& row);

struct LinksLayout {
  Measure by = Measure::bytes;
  std::size_t top = 10;
};

void show(std::ostream& out, LinkTraffic& traffic, Format format, LinksLayout const& layout);

// What was read, what is assumed, and what cannot be known: label and text.
using FabricFact = std::pair<std::string, std::string>;
[[nodiscard]] std::vector<FabricFact> facts_of(LinkTraffic const& traffic);

// An SVG of the fabric, level by level; each half of a cable has the colour and the width of what its end sends.
// selection: what the traffic is a part of, in words. The first one throws OutputError.
void draw_links(std::filesystem::path const& file, LinkTraffic const& traffic, Measure measure,
                std::string const& selection);
void draw_links(std::ostream& out, LinkTraffic const& traffic, Measure measure, std::string const& selection);

// What show() is made of: the columns of links and of levels; what JSON has before the list, and besides a link's
// columns.
[[nodiscard]] table::View<LinkRow> view_of_links();
[[nodiscard]] table::View<LevelLoad> view_of_levels(Measure by);
[[nodiscard]] Json members_of(LinkTraffic const& traffic, Measure by);
void add_filling(Json& link, LinkFilling const& filling);

}  // namespace mpisee_through
