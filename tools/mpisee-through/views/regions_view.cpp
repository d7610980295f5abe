// A line for each region, below the region that contains it. People see inclusive or exclusive times, programs both.
#include <algorithm>
#include <iterator>
#include <numeric>

#include "views/columns.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;

using TotalsColumns = std::vector<table::Column<RegionTotals>>;

// Of the times of one kind, with titles for people if they see these.
TotalsColumns columns_in_mpi(bool has_titles) {
  auto const& of = efficiency_columns();
  auto const title = [&](char const* words) { return has_titles ? words : ""; };
  TotalsColumns columns{{"work_s", "", Kind::seconds, &RegionTotals::work_s},
                        {"without_processor_s", "", Kind::seconds, &RegionTotals::without_processor_s},
                        {"mpi_s", title("MPI time"), Kind::seconds, &RegionTotals::mpi_s},
                        {"mpi_share", title("In MPI"), Kind::share, &RegionTotals::mpi_share}};
  add_columns(columns, &RegionTotals::efficiency,
              {of.parallel.titled(title("Parallel")), of.load_balance.titled(title("= Balance")),
               of.processors.titled(title("x Proc.")), of.communication.titled(title("x Comm."))});
  return columns;
}

auto totals_of(RegionTimes times) {
  return [times](RegionSummary const& region) {
    return region.selected ? std::optional(region.totals(times)) : std::nullopt;
  };
}

table::View<RegionSummary> view_of_regions(RegionTimes times) {
  bool const is_inclusive = times == RegionTimes::inclusive;
  auto const indented = [](RegionSummary const& region, std::string_view name) {
    return std::string(2 * region.depth, ' ').append(name);
  };
  // A page has paths, because its lines can be sorted.
  std::vector<table::Column<RegionSummary>> columns{
      {"name", "Region", Kind::name, [=](RegionSummary const& region) { return indented(region, region.name()); },
       In::text},
      {"path", "Region", Kind::name, [=](RegionSummary const& region) { return indented(region, region.path); },
       In::page},
      {"region", "", Kind::name, &RegionSummary::path},
      {"depth", "", Kind::number, &RegionSummary::depth}};
  table::Column<RegionTotals> const mean{"wall_mean_s", "", Kind::seconds, &RegionTotals::wall_mean_s},
      longest{"wall_max_s", "", Kind::seconds, &RegionTotals::wall_max_s};
  TotalsColumns exclusive{{"ranks", "Ranks", Kind::count, &RegionTotals::ranks},
                          {"entered", "Entered", Kind::count, &RegionTotals::entered},
                          {"wall_s", "", Kind::seconds, &RegionTotals::wall_s},
                          mean.titled(is_inclusive ? "Exclusive" : "Mean"),
                          longest.titled(is_inclusive ? "" : "Max")};
  add_columns(columns, totals_of(RegionTimes::exclusive), exclusive);
  add_columns(columns, totals_of(RegionTimes::inclusive),
              TotalsColumns{{"wall_with_inner_s", "", Kind::seconds, &RegionTotals::wall_s}});
  add_columns(columns, totals_of(RegionTimes::exclusive), columns_in_mpi(!is_inclusive));
  TotalsColumns inclusive{mean.titled(is_inclusive ? "Mean" : "Inclusive"), longest.titled(is_inclusive ? "Max" : "")};
  std::ranges::copy(columns_in_mpi(is_inclusive), std::back_inserter(inclusive));
  for (auto& one : inclusive) one.key = "inclusive_" + one.key;
  add_columns(columns, totals_of(RegionTimes::inclusive), inclusive);
  return {.name = "regions",
          .columns = std::move(columns),
          .titles = {"Region", "Ranks", "Entered", "Mean", "Max", is_inclusive ? "Exclusive" : "Inclusive"}};
}

Weight weight(RegionTotals const& totals, SortKey key) {
  auto const balance = totals.efficiency.load_balance();
  return weight_of({.time_s = totals.wall_s,
                    .calls = static_cast<double>(totals.entered),
                    .imbalance = balance ? std::optional(1 - *balance) : std::nullopt},
                   key);
}

// Sorts the regions of each parent by these times: SortKey::calls by entries, imbalance by load balance, volume and
// size like time. The parents of the top regions stay, without totals.
std::vector<RegionSummary> arrange(std::vector<RegionSummary> const& regions, Arrangement const& arrangement,
                                   RegionTimes times) {
  std::vector<std::size_t> order(regions.size()), parents;
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t left, std::size_t right) {
    if (arrangement.key == SortKey::name) return name_less(regions[left].path, regions[right].path);
    return weight(regions[left].totals(times), arrangement.key) > weight(regions[right].totals(times), arrangement.key);
  });
  for (RegionSummary const& one : regions) {
    auto const parent = with_key(regions, parent_of_region(one.path), &RegionSummary::path);
    parents.push_back(parent.empty() ? regions.size() : static_cast<std::size_t>(parent.data() - regions.data()));
  }
  std::vector<bool> is_top(regions.size());
  std::size_t room = arrangement.top.value_or(regions.size());
  for (std::size_t const place : order)
    if (regions[place].selected && room > 0) is_top[place] = room-- > 0;
  std::vector<RegionSummary> arranged;
  for (TreeNode const& node : walk_trees(order, parents, is_top)) {
    arranged.push_back(regions[node.place]);
    arranged.back().selected = node.is_chosen;
  }
  return arranged;
}

}  // namespace

Document regions(Overview const& overview, std::vector<RegionSummary> const& all, RegionTimes times,
                 Arrangement const& arrangement) {
  std::vector<RegionSummary> const shown = arrange(all, arrangement, times);
  Document document = document_of(overview);
  document.head.emplace_back("Regions", times == RegionTimes::inclusive
                                            ? "inclusive: with the regions inside them; --exclusive shows them without"
                                            : "exclusive: without the regions inside them");
  // Parents that are not selected are for people only.
  std::vector<RegionSummary> selected = shown;
  std::erase_if(selected, [](RegionSummary const& one) { return !one.selected; });
  auto const hidden =
      static_cast<std::size_t>(std::ranges::count(all, true, &RegionSummary::selected)) - selected.size();
  table::Table table = table_of(view_of_regions(times), shown);
  table.if_empty = "No regions in this selection.\n";
  table.hidden = hidden;
  table.noun = "region";
  table.in = In::people;
  table.drawing = {{"as", "bars"}, {"of", "path"}, {"values", {"inclusive_wall_mean_s", "wall_mean_s"}}};
  document.tables = {std::move(table), table_of(view_of_regions(times), std::move(selected))};
  document.tables.back().hidden = hidden;
  document.tables.back().in = In::data;
  return document;
}

}  // namespace mpisee_through
