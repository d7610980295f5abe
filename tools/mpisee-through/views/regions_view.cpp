// Shows a line for each region, below the region that contains it. Text has inclusive or exclusive times, CSV and JSON
// both.
#include "views/columns.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

using table::Kind, table::only_text, table::Pick, table::picks;

std::vector<table::Column<RegionTotals>> totals_columns() {
  std::vector<table::Column<RegionTotals>> columns{{"ranks", "", Kind::count, &RegionTotals::ranks},
                                                   {"entered", "", Kind::count, &RegionTotals::entered},
                                                   {"wall_s", "", Kind::seconds, &RegionTotals::wall_s},
                                                   {"wall_mean_s", "", Kind::seconds, &RegionTotals::wall_mean_s},
                                                   {"wall_max_s", "", Kind::seconds, &RegionTotals::wall_max_s},
                                                   {"mpi_s", "", Kind::seconds, &RegionTotals::mpi_s},
                                                   {"mpi_share", "", Kind::share, &RegionTotals::mpi_share}};
  add_columns(
      columns, efficiency_columns(), [](RegionTotals const& one) { return std::optional(one.efficiency); },
      picks("parallel_efficiency, load_balance, communication_efficiency"));
  return columns;
}

auto totals_of(RegionTimes times) {
  return [times](RegionSummary const& region) {
    return region.selected ? std::optional(region.totals(times)) : std::nullopt;
  };
}

constexpr std::string_view titles_of_inclusive =
    "name=Region, ranks=Ranks, entered=Entered, inclusive_wall_mean_s=Mean, inclusive_wall_max_s=Max, "
    "wall_mean_s=Exclusive, inclusive_mpi_s=MPI time, inclusive_mpi_share=In MPI, "
    "inclusive_parallel_efficiency=Parallel, inclusive_load_balance== Balance, "
    "inclusive_communication_efficiency=x Comm.";
constexpr std::string_view titles_of_exclusive =
    "name=Region, ranks=Ranks, entered=Entered, wall_mean_s=Mean, wall_max_s=Max, inclusive_wall_mean_s=Inclusive, "
    "mpi_s=MPI time, mpi_share=In MPI, parallel_efficiency=Parallel, load_balance== Balance, "
    "communication_efficiency=x Comm.";

// has_paths: text has paths of regions, as a page whose lines can be sorted needs them.
table::View<RegionSummary> view_of_regions(RegionTimes times, bool has_paths) {
  auto const name = [has_paths](RegionSummary const& region) {
    return std::string(2 * region.depth, ' ') + (has_paths ? region.path : std::string(region.name()));
  };
  std::vector<table::Column<RegionSummary>> columns{{"name", "", Kind::name, name, only_text},
                                                    {"region", "", Kind::name, &RegionSummary::path},
                                                    {"depth", "", Kind::number, &RegionSummary::depth}};
  std::vector<table::Column<RegionTotals>> const totals = totals_columns();
  auto const add = [&](RegionTimes of, std::vector<Pick> const& chosen) {
    add_columns(columns, totals, totals_of(of), chosen);
  };
  add(RegionTimes::exclusive, picks("ranks, entered, wall_s, wall_mean_s, wall_max_s"));
  add(RegionTimes::inclusive, {Pick("wall_s").as("wall_with_inner_s")});
  std::vector<Pick> const both = picks("mpi_s, mpi_share, parallel_efficiency, load_balance, communication_efficiency");
  add(RegionTimes::exclusive, both);
  std::vector<Pick> inclusive = picks("wall_mean_s, wall_max_s");
  inclusive.insert(inclusive.end(), both.begin(), both.end());
  for (Pick& pick : inclusive) pick.key = "inclusive_" + pick.of;
  add(RegionTimes::inclusive, inclusive);

  table::View<RegionSummary> view{.name = "regions", .columns = std::move(columns)};
  set_titles(view, picks(times == RegionTimes::inclusive ? titles_of_inclusive : titles_of_exclusive));
  return view;
}

}  // namespace

void show(std::ostream& out, Regions const& all, Format format, RegionsLayout const& layout) {
  Regions regions = arrange_regions(all, layout.arrangement, layout.times);
  // Parents that are not selected appear in text only.
  if (format != Format::text) std::erase_if(regions.regions, [](RegionSummary const& one) { return !one.selected; });
  bool const is_inclusive = layout.times == RegionTimes::inclusive;
  auto const view = view_of_regions(layout.times, format == Format::html);
  AroundTable around;
  around.members = [&] { return Json{{"run", head(regions)}}; };
  around.above = [&](std::ostream& text) {
    print_head(text, regions);
    print_fact(text, "Regions",
               is_inclusive ? "inclusive: with the regions inside them; --exclusive shows them without"
                            : "exclusive: without the regions inside them");
    text << '\n';
  };
  around.if_empty = "No regions in this selection.\n";
  around.below = [&](std::ostream& text) { table::say_hidden(text, regions.left_out, "region"); };
  show(out, format, table_of(view, regions.regions), around);
}

}  // namespace mpisee_through
