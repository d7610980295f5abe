#include <fmt/format.h>
#include <fmt/ostream.h>

#include <utility>

#include "fabric/links_view.hpp"
#include "text/csv_field.hpp"
#include "views/json_document.hpp"

namespace mpisee_through {
namespace {

constexpr std::size_t parts_listed = 10;

Json json_of(Amount const& amount) { return {{"bytes", amount.bytes}, {"messages", amount.messages}}; }

Json json_of(std::vector<LinkFilling::Part> const& parts) {
  Json list = Json::array();
  for (LinkFilling::Part const& part : parts) {
    Json one{{"name", part.name}};
    one.update(json_of(part.amount));
    list.push_back(one);
  }
  return list;
}

Json json_of(std::vector<PairTraffic> const& pairs) {
  Json list = Json::array();
  for (std::size_t i = 0; i < std::min(pairs.size(), parts_listed); ++i) {
    Json one{{"src", static_cast<std::uint32_t>(pairs[i].from)}, {"dst", static_cast<std::uint32_t>(pairs[i].to)}};
    one.update(json_of(pairs[i].amount));
    list.push_back(one);
  }
  return list;
}

Json json_of(Congestion const& congestion) {
  Json histogram = Json::object();
  for (auto const& [most, routes] : congestion.routes_with) histogram[fmt::format("{}", most)] = routes;
  return {{"routes", congestion.routes},
          {"sum_max_cong", congestion.sum_max},
          {"max_cong", congestion.most},
          {"mean_cong", congestion.mean()},
          {"hist_max_cong", histogram}};
}

Json json_of(std::vector<LevelLoad> const& levels) {
  Json list = Json::array();
  for (LevelLoad const& level : levels)
    list.push_back({{"level", level.level},
                    {"links", level.links},
                    {"used", level.used},
                    {"bytes", level.sum.bytes},
                    {"messages", level.sum.messages},
                    {"most_bytes", level.most.bytes},
                    {"most_messages", level.most.messages},
                    {"most_share", number_or_null(level.most_share)}});
  return list;
}

}  // namespace

LinkTraffic read_link_traffic(Profile const& profile, Selection const& selection, Overview const& overview,
                              FabricHosts const& hosts, RouteChoice const& choice) {
  RankRoutes routes(hosts, overview, choice);
  LinkMessages messages = read_link_messages(profile, selection, overview);
  LinkLoads loads = load_links(routes, messages, overview.run.wall_s);
  return {overview, hosts, std::move(messages), std::move(routes), std::move(loads)};
}

LinkRow row_of(LinkTraffic const& traffic, LinkIndex link) {
  Fabric const& fabric = traffic.fabric();
  return {.node = fabric.node_of(link).name,
          .peer = fabric.peer_of(link).name,
          .port = fabric.link(link).port,
          .peer_port = fabric.link(fabric.link(link).back).port,
          .level = level_of(fabric, link),
          .amount = traffic.loads.of(link),
          .share = share_of(fabric, traffic.loads, link),
          .routes = traffic.loads.routes_of[static_cast<std::size_t>(link)]};
}

Json json_of(LinkRow const& row) {
  return {{"node", row.node},
          {"port", row.port},
          {"peer", row.peer},
          {"peer_port", row.peer_port},
          {"level", row.level},
          {"bytes", row.amount.bytes},
          {"messages", row.amount.messages},
          {"share", number_or_null(row.share)},
          {"routes", row.routes}};
}

void write_links_csv(std::ostream& out, LinkTraffic const& traffic, LinksLayout const& layout) {
  out << "node,port,peer,peer_port,level,bytes,messages,share\n";
  std::vector<LinkIndex> links = busiest_links(traffic.loads, layout.by);
  if (layout.top < links.size()) links.resize(layout.top);
  for (LinkIndex const link : links) {
    LinkRow const row = row_of(traffic, link);
    fmt::print(out, "{},{},{},{},{},{},{},{}\n", csv_field(row.node), row.port, csv_field(row.peer), row.peer_port,
               row.level, row.amount.bytes, row.amount.messages, csv_field(row.share));
  }
}

void write_links_json(std::ostream& out, LinkTraffic& traffic, LinksLayout const& layout) {
  Json members = head(traffic.overview);
  Json notes = Json::array();
  for (auto const& [label, text] : facts_of(traffic)) notes.push_back(text);
  members["notes"] = notes;
  members["on_links"] = json_of(traffic.messages.on_links);
  members["within_hosts"] = json_of(traffic.messages.within_hosts);
  members["other_worlds"] = json_of(traffic.messages.other_worlds);
  members["unknown_hosts"] = json_of(traffic.messages.unknown_hosts);
  members["levels"] = json_of(traffic.loads.levels);
  members["congestion"] = json_of(traffic.loads.congestion);

  std::vector<LinkIndex> const links = busiest_links(traffic.loads, layout.by);
  auto const shown = std::span(links).first(std::min(links.size(), layout.top));
  std::vector<LinkFilling> const fillings = fill(traffic.routes, traffic.messages, shown, layout.by);
  Document document(out, members, "links");
  for (std::size_t i = 0; i < shown.size(); ++i) {
    Json one = json_of(row_of(traffic, shown[i]));
    one["communicators"] = json_of(fillings[i].communicators);
    one["operations"] = json_of(fillings[i].operations);
    one["regions"] = json_of(fillings[i].regions);
    one["pairs"] = json_of(fillings[i].pairs);
    document.add(one);
  }
}

}  // namespace mpisee_through
