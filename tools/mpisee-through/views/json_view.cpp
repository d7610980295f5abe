#include "files/visible_text.hpp"
#include "summary/census.hpp"
#include "summary/collectives.hpp"
#include "summary/sites.hpp"
#include "views/forms.hpp"
#include "views/json_document.hpp"

namespace mpisee_through {
namespace {

void add_totals(Json& object, Totals const& totals) {
  object["calls"] = totals.calls;
  object["bytes_sent"] = totals.bytes_sent;
  object["bytes_received"] = totals.bytes_received;
  object["time_s"] = totals.time_s;
}

void add_costs(Json& object, Summary const& summary, Totals const& totals) {
  object["mpi_share"] = number_or_null(summary.share_of_mpi(totals));
  object["wall_share"] = number_or_null(summary.share_of_wall(totals));
  object["time_mean_s"] = number_or_null(totals.call_s());
}

Json describe(Summary const& summary, CommunicatorSummary const& communicator) {
  Json object{{"comm", communicator.name},
              {"parent", communicator.parent},
              {"created_by", communicator.created_by},
              {"created_at", visible(communicator.created_at)},
              {"size", communicator.size},
              {"members", communicator.members},
              {"topology", communicator.topology},
              {"reorder", communicator.reorder},
              {"user_name", communicator.user_name},
              {"freed", communicator.freed},
              {"instances", communicator.instances},
              {"ranks", communicator.ranks}};
  add_totals(object, communicator.totals);
  add_costs(object, summary, communicator.totals);
  object["imbalance"] = number_or_null(communicator.imbalance());
  return object;
}

Json with_spread(Summary const& summary, CommunicatorSummary const& communicator) {
  Json object = describe(summary, communicator);
  object["rank_mean_s"] = communicator.mean_s();
  object["rank_min_s"] = communicator.min_s();
  object["rank_max_s"] = communicator.max_s();
  return object;
}

Json describe(Summary const& summary, CommunicatorSummary const& communicator, OperationSummary const& operation) {
  Json object{{"op", summary.name_of(operation.operation)}};
  if (operation.size) {
    object["size_min"] = operation.size->min_bytes;
    object["size_max"] = operation.size->max_bytes;
  }
  if (operation.site) add_site(object, summary, *operation.site);
  add_totals(object, operation.totals);
  object["rank_mean_s"] = communicator.mean_s(operation);
  object["rank_min_s"] = communicator.min_s(operation);
  object["rank_max_s"] = communicator.max_s(operation);
  object["time_min_s"] = operation.shortest_s;
  object["time_max_s"] = operation.longest_s;
  add_costs(object, summary, operation.totals);
  object["imbalance"] = number_or_null(communicator.imbalance(operation));
  return object;
}

Json describe(Amount const& amount) { return {{"messages", amount.messages}, {"bytes", amount.bytes}}; }

Json describe(SizeAmount const& one) {
  return {{"size_min", one.size.min_bytes},
          {"size_max", one.size.max_bytes},
          {"messages", one.amount.messages},
          {"bytes", one.amount.bytes}};
}

void write_json_collectives(std::ostream& out, Summary const& summary, Arrangement const& arrangement) {
  Document document(out, {{"run", head_of(summary)}}, "collectives");
  for (CollectiveSummary const& collective : sum_up_collectives(summary, arrangement)) {
    CommunicatorSummary const& communicator = summary.communicator(collective.communicator);
    Json object{{"comm", communicator.name},
                {"comm_size", communicator.size},
                {"ranks", communicator.ranks},
                {"direction", name_of(collective.direction)},
                {"operations", collective.operations}};
    add_totals(object, collective.totals);
    add_costs(object, summary, collective.totals);
    document.add(object);
  }
}

void write_json_tree(std::ostream& out, Summary const& summary, Arrangement const& arrangement) {
  Document document(out, {{"run", head_of(summary)}}, "communicators");
  for (TreeNode const& node : arrange_tree(summary, arrangement)) {
    if (!node.selected) continue;
    Json object = describe(summary, summary.communicator(node.communicator));
    object["depth"] = node.depth;
    document.add(object);
  }
}

void write_json_operations(std::ostream& out, Summary const& summary, Arrangement const& arrangement) {
  Document document(out, {{"run", head_of(summary)}}, "communicators");
  for (OperationBlock const& block : arrange_blocks(summary, arrangement)) {
    CommunicatorSummary const& communicator = summary.communicator(block.communicator);
    auto const totals_of_all = totals_by_operation(communicator);
    Json object = describe(summary, communicator);
    Json& operations = object["operations"] = Json::array();
    for (OperationSummary const* operation : block.lines) {
      operations.push_back(describe(summary, communicator, *operation));
      if (!operation->size) continue;
      SharesOfSize const shares = shares_of(operation->totals, totals_of_all.at(operation->operation));
      operations.back()["op_time_share"] = number_or_null(shares.time);
      operations.back()["op_bytes_share"] = number_or_null(shares.bytes);
    }
    document.add(object);
  }
}

Json census_of(Summary const& summary) {
  Json lines = Json::array();
  for (CensusLine const& line : take_census(summary)) {
    lines.push_back({{"size", line.size},
                     {"created_by", line.created_by},
                     {"communicators", line.communicators},
                     {"freed", line.freed}});
  }
  return lines;
}

void write_json_communicators(std::ostream& out, Summary const& summary, Arrangement const& arrangement) {
  Document document(out, {{"run", head_of(summary)}, {"census", census_of(summary)}}, "communicators");
  for (CommunicatorIndex const index : arrange_communicators(summary, arrangement, Include::all_selected)) {
    document.add(with_spread(summary, summary.communicator(index)));
  }
}

void write_json_census(std::ostream& out, Summary const& summary) {
  Document document(out, {{"run", head_of(summary)}}, "census");
  for (Json const& line : census_of(summary)) document.add(line);
}

void write_json_sites(std::ostream& out, Summary const& summary, Arrangement const& arrangement) {
  Document document(out, {{"run", head_of(summary)}}, "sites");
  for (SiteLine const& line : sum_up_sites(summary, arrangement)) {
    Json object = Json::object();
    add_site(object, summary, line.site);
    object["op"] = summary.name_of(line.operation);
    object["communicators"] = line.communicators;
    object["comm"] = summary.communicator(line.communicator).name;
    add_totals(object, line.totals);
    add_costs(object, summary, line.totals);
    object["imbalance"] = number_or_null(line.imbalance());
    document.add(object);
  }
}

Json describe(Efficiency const& efficiency) {
  return {{"ranks", efficiency.ranks()},
          {"parallel", number_or_null(efficiency.parallel())},
          {"load_balance", number_or_null(efficiency.load_balance())},
          {"communication", number_or_null(efficiency.communication())},
          {"serialisation", number_or_null(efficiency.serialisation())},
          {"transfer", number_or_null(efficiency.transfer())},
          {"useful_mean_s", efficiency.useful_mean_s()},
          {"useful_max_s", efficiency.useful_max_s()},
          {"wall_max_s", efficiency.wall_max_s()}};
}

Json describe(FirstScreen const& screen, UnevenOperation const& one) {
  return {{"comm", screen.summary.communicator(one.place.communicator).name},
          {"op", screen.summary.name_of(one.place.operation)},
          {"rank_mean_s", one.mean_s},
          {"rank_min_s", one.min.seconds},
          {"rank_min", static_cast<std::uint32_t>(one.min.rank)},
          {"rank_max_s", one.max.seconds},
          {"rank_max", static_cast<std::uint32_t>(one.max.rank)}};
}

Json describe(Summary const& summary, CostliestCall const& call) {
  Totals const& totals = call.operation->totals;
  return {{"comm", summary.communicator(call.communicator).name},
          {"op", summary.name_of(call.operation->operation)},
          {"mpi_share", number_or_null(summary.share_of_mpi(totals))},
          {"wall_share", number_or_null(summary.share_of_wall(totals))}};
}

Json describe(BusiestPair const& busiest) {
  Json object{{"src", rank_number(busiest.pair.from)}, {"dst", rank_number(busiest.pair.to)}};
  object.update(describe(busiest.pair.amount));
  object["bytes_share"] = busiest.share();
  return object;
}

Json describe(MainSizes const& sizes) {
  auto const part = [](SizeShare const& one) {
    return Json{{"size_min", one.size.min_bytes}, {"size_max", one.size.max_bytes}, {"share", one.share}};
  };
  return {{"time", part(sizes.by_time)}, {"bytes", part(sizes.by_bytes)}};
}

}  // namespace

void write_json(std::ostream& out, FirstScreen const& screen) {
  Summary const& summary = screen.summary;
  Json members{{"run", head_of(summary)}};
  members["efficiency"] = screen.has_efficiencies ? describe(summary.efficiency) : Json();
  Json& regions = members["regions"] = Json::array();
  for (RegionSummary const& region : screen.regions) {
    regions.push_back({{"region", region.path},
                       {"efficiency", describe(region.exclusive.efficiency)},
                       {"inclusive_efficiency", describe(region.inclusive.efficiency)}});
  }
  Json& communicators = members["communicators"] = Json::array();
  for (CommunicatorIndex const index : arrange_communicators(summary, {}, Include::with_operations)) {
    communicators.push_back(with_spread(summary, summary.communicator(index)));
    auto const waiting = screen.waits.on(index);
    communicators.back()["wait_s"] = number_or_null(waiting ? std::optional(waiting->wait_s) : std::nullopt);
  }
  members["most_uneven"] = screen.most_uneven ? describe(screen, *screen.most_uneven) : Json();
  auto const call = find_costliest_call(summary);
  members["costliest_call"] = call ? describe(summary, *call) : Json();
  members["busiest_pair"] = screen.busiest_pair ? describe(*screen.busiest_pair) : Json();
  members["main_sizes"] = screen.main_sizes ? describe(*screen.main_sizes) : Json();
  Document document(out, members, "findings");
  for (auto const& [told, explained_by] : told_findings(screen)) {
    Finding const& finding = *told;
    document.add({{"finding", finding.rule},
                  {"explained_by", explained_by.empty() ? Json() : Json(explained_by)},
                  {"wall_share", finding.weight},
                  {"fact", finding.fact},
                  {"try", finding.advice},
                  {"more", "mpisee-through " + arguments_of(finding, screen)}});
  }
}

void write_json(std::ostream& out, Summary const& summary, View view, Arrangement const& arrangement) {
  if (view == View::communicators) return write_json_communicators(out, summary, arrangement);
  if (view == View::census) return write_json_census(out, summary);
  if (view == View::sites) return write_json_sites(out, summary, arrangement);
  if (view == View::tree) return write_json_tree(out, summary, arrangement);
  if (view == View::collectives) return write_json_collectives(out, summary, arrangement);
  write_json_operations(out, summary, arrangement);
}

namespace {

Json describe_ends(Traffic const& traffic, PairTraffic const& pair) {
  if (traffic.is_by_host)
    return {{"src_host", field_of_end(traffic, pair.from)}, {"dst_host", field_of_end(traffic, pair.to)}};
  return {{"src", rank_number(pair.from)}, {"dst", rank_number(pair.to)}};
}

}  // namespace

void write_json(std::ostream& out, Traffic const& traffic, TrafficLayout const& layout) {
  Json traffic_of_all{{"total", describe(traffic.total)}, {"within_hosts", describe(traffic.within_hosts)}};
  if (traffic.is_by_host) traffic_of_all["of_unknown_hosts"] = describe(traffic.of_unknown_hosts);
  for (TrafficClass const one : traffic_classes) traffic_of_all[std::string(name_of(one))] = describe(traffic.of(one));
  bool const by_size = traffic.detail == Detail::message_sizes;
  if (by_size) {
    Json& sizes = traffic_of_all["sizes"] = Json::array();
    for (SizeAmount const& one : sizes_of_all(traffic)) sizes.push_back(describe(one));
  }

  Document document(out, {{"run", head(traffic)}, {"traffic", traffic_of_all}}, "pairs");
  for (std::size_t const index : pairs_to_list(traffic, layout)) {
    PairTraffic const& pair = traffic.pairs[index];
    Json object = describe_ends(traffic, pair);
    object.update(describe(pair.amount));
    if (by_size) {
      Json& sizes = object["sizes"] = Json::array();
      for (SizeAmount const& one : sizes_of(traffic, pair)) sizes.push_back(describe(one));
    }
    document.add(object);
  }
}

void write_json(std::ostream& out, Regions const& regions) {
  Document document(out, {{"run", head(regions)}}, "regions");
  for (RegionSummary const& region : regions.regions) {
    if (!region.selected) continue;
    auto const& [totals, inclusive] = std::tie(region.exclusive, region.inclusive);
    document.add({{"region", region.path},
                  {"depth", region.depth},
                  {"ranks", totals.ranks},
                  {"entered", totals.entered},
                  {"wall_s", totals.wall_s},
                  {"wall_mean_s", totals.wall_mean_s()},
                  {"wall_max_s", totals.wall_max_s},
                  {"wall_with_inner_s", inclusive.wall_s},
                  {"mpi_s", totals.mpi_s},
                  {"mpi_share", number_or_null(totals.mpi_share())},
                  {"parallel_efficiency", number_or_null(totals.efficiency.parallel())},
                  {"load_balance", number_or_null(totals.efficiency.load_balance())},
                  {"communication_efficiency", number_or_null(totals.efficiency.communication())},
                  {"inclusive_wall_mean_s", inclusive.wall_mean_s()},
                  {"inclusive_wall_max_s", inclusive.wall_max_s},
                  {"inclusive_mpi_s", inclusive.mpi_s},
                  {"inclusive_mpi_share", number_or_null(inclusive.mpi_share())},
                  {"inclusive_parallel_efficiency", number_or_null(inclusive.efficiency.parallel())},
                  {"inclusive_load_balance", number_or_null(inclusive.efficiency.load_balance())},
                  {"inclusive_communication_efficiency", number_or_null(inclusive.efficiency.communication())}});
  }
}

}  // namespace mpisee_through
