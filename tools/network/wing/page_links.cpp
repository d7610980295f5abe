#include "wing/page_links.hpp"

#include <sstream>
#include <utility>

#include "fabric/fabric_files.hpp"
#include "fabric/fabric_hosts.hpp"
#include "table/document.hpp"

namespace mpisee_through {
namespace {

// The tables and the picture; list: the links that the arrow keys go through in the picture. Without messages between
// hosts there is only what was read.
Json links_json(LinkTraffic& traffic, Selection const& selection) {
  Json facts = Json::array(), list = Json::array();
  for (auto const& [label, text] : facts_of(traffic)) facts.push_back({label, text});
  Json json{{"facts", facts}, {"list", list}};
  if (traffic.messages.between_hosts.empty()) return json;
  std::vector<LinkIndex> const links = busiest_links(traffic.loads, Measure::bytes);
  for (LinkIndex const link : table::first_of(links, most_links))
    json["list"].push_back(json_of(row_of(traffic, link)));
  std::ostringstream picture;
  draw_links(picture, traffic, Measure::bytes, describe(selection));
  json["left_out"] = links.size() - json["list"].size();
  json["picture"] = picture.str();
  json["levels"] = page_table(table_of(view_of_levels(Measure::bytes), traffic.loads.levels));
  json["links"] = page_table_of_links(traffic, {.top = most_links});
  return json;
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
