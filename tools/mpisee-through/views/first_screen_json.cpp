// The first page as JSON.
#include "views/columns.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

using table::picks;

struct ScreenRow {
  CommunicatorLine communicator;
  std::optional<Waiting> waiting;
};

table::View<ScreenRow> view_of_screen() {
  std::vector<table::Column<ScreenRow>> columns;
  add_columns(
      columns, communicator_columns(), [](ScreenRow const& line) { return std::optional(line.communicator); },
      picks("comm, parent, created_by, created_at, size, members, topology, reorder, user_name, freed, instances, "
            "ranks, calls, bytes_sent, bytes_received, time_s, mpi_share, wall_share, time_mean_s, imbalance, "
            "rank_mean_s, rank_min_s, rank_max_s"));
  auto const wait_s = [](ScreenRow const& line) {
    if (!line.waiting) return table::Value();
    return bounded(line.waiting->wait_s, line.waiting->is_upper_bound ? table::Bound::at_most : table::Bound::none);
  };
  columns.push_back({.key = "wait_s", .title = "", .kind = table::Kind::seconds, .value = wait_s, .has_bounds = true});
  return {.name = "communicators", .columns = std::move(columns)};
}

Json communicators_of(FirstScreen const& screen) {
  Summary const& summary = screen.summary;
  std::vector<ScreenRow> lines;
  for (CommunicatorIndex const index : arrange_communicators(summary, {}, Include::with_operations)) {
    CommunicatorSummary const& one = summary.communicator(index);
    lines.push_back({{&summary, &one, &one.totals}, screen.waits.on(index)});
  }
  auto const view = view_of_screen();
  return json_list(table_of(view, lines));
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
  auto const& [from, to, amount] = busiest.pair;
  return {{"src", rank_number(from)},
          {"dst", rank_number(to)},
          {"messages", amount.messages},
          {"bytes", amount.bytes},
          {"bytes_share", busiest.share()}};
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
  members["communicators"] = communicators_of(screen);
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

}  // namespace mpisee_through
