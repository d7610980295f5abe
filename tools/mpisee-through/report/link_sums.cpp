#include "report/link_sums.hpp"

#include <algorithm>
#include <span>
#include <sstream>
#include <utility>

#include "fabric/fabric_files.hpp"
#include "fabric/fabric_hosts.hpp"

namespace mpisee_through {
LinkSums add_up_links(Profile const& profile, Selection const& selection, Overview const& overview,
                      FabricSource const& source, std::size_t most_links) {
  Fabric const fabric = read_fabric(source.path);
  FabricHosts const hosts(fabric, overview.known_hosts(), source.names_of_hosts);
  LinkTraffic traffic = read_link_traffic(profile, selection, overview, hosts, source.choice);
  LinkSums sums;
  sums.facts = facts_of(traffic);
  if (traffic.messages.between_hosts.empty()) return sums;

  sums.levels = traffic.loads.levels;
  std::vector<LinkIndex> const links = busiest_links(traffic.loads, Measure::bytes);
  auto const shown = std::span(links).first(std::min(links.size(), most_links));
  sums.left_out = links.size() - shown.size();
  std::vector<LinkFilling> fillings = fill(traffic.routes, traffic.messages, shown, Measure::bytes);
  for (std::size_t i = 0; i < shown.size(); ++i)
    sums.busiest.push_back({row_of(traffic, shown[i]), std::move(fillings[i])});
  std::ostringstream picture;
  draw_links(picture, traffic, Measure::bytes, describe(selection));
  sums.picture = std::move(picture).str();
  return sums;
}

}  // namespace mpisee_through
