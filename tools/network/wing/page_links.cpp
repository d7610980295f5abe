#include "wing/page_links.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <sstream>
#include <utility>

#include "fabric/fabric_files.hpp"
#include "fabric/fabric_hosts.hpp"

namespace mpisee_through {
namespace {

constexpr std::size_t parts_named = 3;

// The largest parts, and the number of the others.
template <class Parts, class Name>
Json parts_json(Parts const& parts, Name const& name) {
  Json list = Json::array();
  std::size_t const named = std::min(parts.size(), parts_named);
  for (std::size_t i = 0; i < named; ++i) list.push_back({{"name", name(parts[i])}, {"bytes", parts[i].amount.bytes}});
  return {{"list", list}, {"further", parts.size() - named}};
}

Json link_json(LinkRow const& row, LinkFilling const& filling) {
  auto const name = [](LinkFilling::Part const& part) { return part.name; };
  auto const ends = [](PairTraffic const& pair) {
    return fmt::format("{} to {}", static_cast<std::uint32_t>(pair.from), static_cast<std::uint32_t>(pair.to));
  };
  Json one = json_of(row);
  one["communicators"] = parts_json(filling.communicators, name);
  one["operations"] = parts_json(filling.operations, name);
  one["pairs"] = parts_json(filling.pairs, ends);
  return one;
}

Json level_json(LevelLoad const& level) {
  return {{"level", level.level},
          {"links", level.links},
          {"used", level.used},
          {"bytes", level.sum.bytes},
          {"messages", level.sum.messages},
          {"most_bytes", level.most.bytes},
          {"most_share", number_or_null(level.most_share)}};
}

// picture: an SVG. Without messages between hosts there are no levels, no links and no picture.
Json links_json(LinkTraffic& traffic, Selection const& selection) {
  Json facts = Json::array();
  for (auto const& [label, text] : facts_of(traffic)) facts.push_back({label, text});
  Json levels = Json::array(), list = Json::array();
  std::size_t left_out = 0;
  std::ostringstream picture;
  if (!traffic.messages.between_hosts.empty()) {
    for (LevelLoad const& level : traffic.loads.levels) levels.push_back(level_json(level));
    std::vector<LinkIndex> const links = busiest_links(traffic.loads, Measure::bytes);
    auto const shown = std::span(links).first(std::min(links.size(), most_links));
    left_out = links.size() - shown.size();
    std::vector<LinkFilling> const fillings = fill(traffic.routes, traffic.messages, shown, Measure::bytes);
    for (std::size_t i = 0; i < shown.size(); ++i) list.push_back(link_json(row_of(traffic, shown[i]), fillings[i]));
    draw_links(picture, traffic, Measure::bytes, describe(selection));
  }
  return {{"facts", facts}, {"levels", levels}, {"list", list}, {"left_out", left_out}, {"picture", picture.str()}};
}

}  // namespace

LinksReader links_of_page(FabricSource source) {
  return [source = std::move(source)](Profile const& profile, Selection const& selection, Overview const& overview) {
    Fabric const fabric = read_fabric(source.path);
    FabricHosts const hosts(fabric, overview.known_hosts(), source.names_of_hosts);
    LinkTraffic traffic = read_link_traffic(profile, selection, overview, hosts, source.choice);
    return links_json(traffic, selection);
  };
}

}  // namespace mpisee_through
