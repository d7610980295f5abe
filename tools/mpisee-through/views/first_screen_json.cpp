// The first page as JSON.
#include "views/first_screen_tables.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

// The efficiencies under the keys of other views, and under older keys.
Json describe(Efficiency const& efficiency) {
  static auto const view = [] {
    std::vector<table::Column<Efficiency>> columns{{"ranks", "", table::Kind::count, &Efficiency::ranks}};
    columns.insert(columns.end(), efficiency_columns().begin(), efficiency_columns().end());
    for (std::string const earlier : {"parallel", "communication", "serialisation", "transfer"}) {
      table::Column<Efficiency> column = columns[index_of_key(columns, earlier + "_efficiency")];
      column.key = earlier;
      column.has_bounds = false;
      columns.push_back(std::move(column));
    }
    return table::View<Efficiency>{.name = "efficiency", .columns = std::move(columns)};
  }();
  std::vector<Efficiency> const one{efficiency};
  return json_object(table_of(view, one), 0);
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
          {"bytes_share", busiest.share()},
          {"messages_share_of_bytes_sent", number_or_null(busiest.share_of_bytes_sent())}};
}

Json describe(MainSizes const& sizes) {
  auto const part = [](SizeShare const& one) {
    return Json{{"size_min", one.size.min_bytes}, {"size_max", one.size.max_bytes}, {"share", one.share}};
  };
  return {{"time", part(sizes.by_time)}, {"bytes", part(sizes.by_bytes)}};
}

}  // namespace

Json json_of(FirstScreen const& screen) {
  Summary const& summary = screen.summary;
  Json members{{"run", head_of(summary)}};
  members["efficiency"] = screen.has_efficiencies ? describe(summary.efficiency) : Json();
  Json& regions = members["regions"] = Json::array();
  for (RegionSummary const& region : screen.regions) {
    regions.push_back({{"region", region.path},
                       {"efficiency", describe(region.exclusive.efficiency)},
                       {"inclusive_efficiency", describe(region.inclusive.efficiency)}});
  }
  auto const view = view_of_costs();
  auto const communicators = communicators_of(screen);
  members["communicators"] = json_list(table_of(view, communicators));
  members["most_uneven"] = screen.most_uneven ? describe(screen, *screen.most_uneven) : Json();
  Json& kinds = members["kinds"] = Json::array();
  for (auto const& [kind, totals] : totals_by_kind(summary))
    kinds.push_back({{"kind", name_of(kind)},
                     {"time_s", double{totals.time_s}},
                     {"mpi_share", number_or_null(summary.share_of_mpi(totals))},
                     {"bytes", totals.bytes()}});
  auto const call = find_costliest_call(summary);
  members["costliest_call"] = call ? describe(summary, *call) : Json();
  members["busiest_pair"] = screen.busiest_pair ? describe(*screen.busiest_pair) : Json();
  members["main_sizes"] = screen.main_sizes ? describe(*screen.main_sizes) : Json();
  Json& findings = members["findings"] = Json::array();
  for (auto const& [told, explained_by] : flattened(screen)) {
    Finding const& finding = *told;
    findings.push_back({{"finding", finding.rule},
                        {"explained_by", explained_by.empty() || finding.only_may_follow ? Json() : Json(explained_by)},
                        {"may_follow_from", finding.only_may_follow ? Json(explained_by) : Json()},
                        {"wall_share", finding.weight},
                        {"fact", finding.fact},
                        {"try", finding.advice},
                        {"more", "mpisee-through " + arguments_of(finding, screen)},
                        {"note", finding.note}});
  }
  return members;
}

void write_json(std::ostream& out, FirstScreen const& screen) {
  Json members = json_of(screen);
  Json const findings = std::move(members["findings"]);
  members.erase("findings");
  Document document(out, members, "findings");
  for (Json const& finding : findings) document.add(finding);
}

}  // namespace mpisee_through
