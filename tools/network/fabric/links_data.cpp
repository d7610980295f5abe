#include <fmt/format.h>

#include <utility>

#include "fabric/links_view.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

Json json_of(Amount const& amount) { return {{"bytes", amount.bytes}, {"messages", amount.messages}}; }

Json json_of(Congestion const& congestion) {
  Json histogram = Json::object();
  for (auto const& [most, routes] : congestion.routes_with) histogram[fmt::format("{}", most)] = routes;
  return {{"routes", congestion.routes},
          {"sum_max_cong", congestion.sum_max},
          {"max_cong", congestion.most},
          {"mean_cong", congestion.mean()},
          {"hist_max_cong", histogram}};
}

}  // namespace

LinkTraffic read_link_traffic(Profile const& profile, Selection const& wanted, Overview const& overview,
                              FabricHosts const& hosts, RouteChoice const& choice) {
  auto const seen = read_seen_by_transport(profile);
  Selection selection = wanted;
  prefer_transport(selection, seen, Load::between_hosts);
  RankRoutes routes(hosts, overview, choice);
  LinkMessages messages = read_link_messages(profile, selection, overview);
  LinkLoads loads = load_links(routes, messages, overview.run.wall_s);
  return {overview,
          hosts,
          std::move(messages),
          std::move(routes),
          std::move(loads),
          read_bytes_sent(profile, selection),
          read_bytes_without_estimate(profile, selection),
          is_of_transport(selection),
          seen};
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

Json json_of(LinkRow const& row) { return json_object(table_of(view_of_links(), {row}), 0); }

Json members_of(LinkTraffic const& traffic) {
  Json members = run_of(traffic.overview);
  members["on_links"] = json_of(traffic.messages.on_links);
  members["within_hosts"] = json_of(traffic.messages.within_hosts);
  members["other_worlds"] = json_of(traffic.messages.other_worlds);
  members["unknown_hosts"] = json_of(traffic.messages.unknown_hosts);
  members["of_transport"] = traffic.is_of_transport;
  members["bytes_sent"] = traffic.bytes_sent ? Json(*traffic.bytes_sent) : Json();
  members["congestion"] = json_of(traffic.loads.congestion);
  return members;
}

}  // namespace mpisee_through
