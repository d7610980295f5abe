// A line for each number of ranks, and for each family of communicators on it. Text has columns in place of these
// lines.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "scaling/scaling.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;

struct ScalingRow {
  std::uint32_t ranks;
  ScalingPoint const* point;
  std::string family{};  // of communicators; empty for the whole runs

  [[nodiscard]] bool is_whole() const { return family.empty(); }
};
using ScalingColumns = std::vector<table::Column<ScalingRow>>;

// Makes the value empty in lines of families.
template <class Of>
auto whole(Of of) {
  return [of](ScalingRow const& row) { return row.is_whole() ? table::Value(of(*row.point)) : table::Value(); };
}

auto wall(double Distribution::*measured) {
  return whole([=](ScalingPoint const& point) { return point.wall_s.*measured; });
}

table::Value share_of_family(ScalingRow const& row) {
  auto const found = row.point->communicator_shares.find(row.family);
  return found == row.point->communicator_shares.end() ? table::Value() : table::Value(found->second);
}

table::Value wall_share(ScalingRow const& row) {
  return row.is_whole() ? table::Value(row.point->mpi_share) : share_of_family(row);
}

// Empty if the kind is unknown.
auto gain(std::optional<ScalingKind> kind, double ScalingPoint::Gain::*value) {
  return whole(
      [=](ScalingPoint const& point) { return kind ? table::Value(point.gain(*kind).*value) : table::Value(); });
}

// Adds the text columns of speed-up and efficiency. if_it_is: follows "Speed-up" in the title.
void add_gains(ScalingColumns& columns, ScalingKind kind, std::string const& if_it_is) {
  columns.push_back({"speed_up_text", "Speed-up" + if_it_is, Kind::figure, whole([kind](ScalingPoint const& point) {
                       return fmt::format("{:.2f}", point.gain(kind).speed_up);
                     }),
                     In::people});
  columns.push_back({"of_ideal_text", "  of the ideal" + if_it_is, Kind::share,
                     gain(kind, &ScalingPoint::Gain::of_ideal), In::people});
}

// titles: of the factors in text; a factor with an empty title is only in CSV and JSON.
void add_factors(ScalingColumns& columns, std::array<std::string, factors.size()> const& titles) {
  for (std::size_t i = 0; i < factors.size(); ++i) {
    columns.push_back({std::string(factors[i].quantity), titles[i], Kind::share,
                       whole([i](ScalingPoint const& point) { return point.values[i]; })});
    if (i != static_cast<std::size_t>(FactorIndex::communication)) continue;
    // Unknown: both need the waiting of all runs, which is not read here.
    for (char const* const key : {"serialisation_efficiency", "transfer_efficiency"})
      columns.push_back({key, "", Kind::share, whole([](ScalingPoint const&) { return table::Value(); })});
  }
}

table::View<ScalingRow> view_of_scaling(Scaling const& scaling) {
  bool const has_repetitions =
      std::ranges::any_of(scaling.points, [](ScalingPoint const& point) { return point.runs.size() > 1; });
  auto const runs = [](ScalingRow const& row) { return row.point->runs.size(); };
  ScalingColumns columns{
      {"ranks", "Ranks", Kind::count, [](ScalingRow const& row) { return row.ranks; }},
      {"comm", "", Kind::name, [](ScalingRow const& row) { return row.family; }},
      {"runs", has_repetitions ? "Runs" : "", Kind::count, runs},
      {"fastest", has_repetitions ? "Fastest" : "", Kind::seconds, wall(&Distribution::min), In::people},
      {"slowest", has_repetitions ? "Slowest" : "", Kind::seconds, wall(&Distribution::max), In::people},
      {"hosts", "", Kind::count, [](ScalingRow const& row) { return row.point->hosts; }},
      {"wall_s", "Wall time", Kind::seconds, wall(&Distribution::median)},
      {"wall_min_s", "", Kind::seconds, wall(&Distribution::min)},
      {"wall_max_s", "", Kind::seconds, wall(&Distribution::max)},
      {"speed_up", "", Kind::ratio, gain(scaling.kind, &ScalingPoint::Gain::speed_up)},
      {"of_ideal", "", Kind::share, gain(scaling.kind, &ScalingPoint::Gain::of_ideal)}};
  for (auto const& [kind, if_it_is] :
       {std::pair(ScalingKind::strong, ", if strong"), std::pair(ScalingKind::weak, ", if weak")})
    if (!scaling.kind || *scaling.kind == kind) add_gains(columns, kind, scaling.kind ? "" : if_it_is);
  std::array<std::string, factors.size()> titles;
  for (std::size_t i = 0; i < factors.size(); ++i)
    if (std::ranges::any_of(scaling.points, [i](ScalingPoint const& point) { return point.values[i].has_value(); }))
      titles[i] = std::string(2 * factors[i].depth, ' ') + std::string(factors[i].name);
  add_factors(columns, titles);
  columns.insert(columns.end(),
                 {{"wall_share", "", Kind::share, wall_share},
                  {"strong_speed_up", "", Kind::ratio, gain(ScalingKind::strong, &ScalingPoint::Gain::speed_up)},
                  {"weak_speed_up", "", Kind::ratio, gain(ScalingKind::weak, &ScalingPoint::Gain::speed_up)}});
  return {.name = "points", .columns = std::move(columns)};
}

// For people the share of the ranks' time in MPI, and of each family, follow.
table::View<ScalingRow> view_for_people(ScalingShown const& shown) {
  table::View<ScalingRow> view = view_of_scaling(shown.scaling);
  view.columns.push_back(
      {"mpi_share", "Time in MPI", Kind::share, [](ScalingRow const& row) { return row.point->mpi_share; }});
  for (std::string const& family : families_by_time(shown.scaling, shown.top))
    view.columns.push_back({family, "  " + family, Kind::share, [family](ScalingRow const& row) {
                              return share_of_family({row.ranks, row.point, family});
                            }});
  return view;
}

std::vector<ScalingRow> rows_of(Scaling const& scaling) {
  std::vector<ScalingRow> rows;
  for (ScalingPoint const& point : scaling.points) rows.push_back({point.ranks, &point});
  return rows;
}

std::vector<ScalingRow> rows_for_programs(ScalingShown const& shown) {
  std::vector<ScalingRow> rows = rows_of(shown.scaling);
  for (std::string const& family : families_by_time(shown.scaling, shown.top))
    for (ScalingPoint const& point : shown.scaling.points)
      if (point.communicator_shares.contains(family)) rows.push_back({point.ranks, &point, family});
  return rows;
}

std::string programs_of(Runs const& runs) {
  std::vector<std::string> const programs = program_of_each(runs);
  return fmt::format("{}", fmt::join(std::set(programs.begin(), programs.end()), ", "));
}

// "4 runs on 1 to 8 ranks".
std::string describe_runs(ScalingShown const& shown) {
  std::uint32_t const fewest = shown.scaling.first().ranks, most = shown.scaling.last().ranks;
  return fmt::format("{} on {}{}", format_number_of(shown.runs.heads.size(), "run"),
                     fewest == most ? "" : format_count(fewest) + " to ", format_number_of(most, "rank"));
}

struct RunOnRanks {
  std::uint32_t ranks;
  std::string profile;
};

table::Table table_of_runs(ScalingShown const& shown) {
  std::vector<RunOnRanks> lines;
  for (ScalingPoint const& point : shown.scaling.points)
    for (std::size_t const run : point.runs) lines.push_back({point.ranks, shown.runs.heads[run].profile});
  table::Table table = table_of(table::View<RunOnRanks>{.name = "runs",
                                                        .columns = {{"ranks", "", Kind::count, &RunOnRanks::ranks},
                                                                    {"profile", "", Kind::name, &RunOnRanks::profile}}},
                                std::move(lines));
  table.in = In::json;
  return table;
}

}  // namespace

Document scaling(ScalingShown const& shown) {
  Scaling const& of = shown.scaling;
  Document document;
  document.run = {{"program", programs_of(shown.runs)},
                  {"region", shown.region},
                  {"scaling", name_of(of.kind)},
                  {"told_by_growth", of.is_told},
                  {"growth", of.growth ? Json(*of.growth) : Json()}};
  document.head = {{"Program", programs_of(shown.runs)}};
  if (!shown.region.empty()) document.head.emplace_back("Region", shown.region);
  document.head.emplace_back("Runs", describe_runs(shown));
  document.head.emplace_back("Scaling", describe_kind(of));
  for (std::string const& notice : of.notices) document.notes.emplace_back("Note", notice);
  if (std::ranges::all_of(of.points, [](ScalingPoint const& one) { return one.runs.size() == 1; }))
    document.notes.emplace_back("Note", "One run on each number of ranks: differences may be chance; repeat the runs.");
  document.tables = {table_of(view_of_scaling(of), rows_for_programs(shown)),
                     table_of(view_for_people(shown), rows_of(of)), table_of_runs(shown)};
  document.tables[0].in = In::data;
  table::Table& people = document.tables[1];
  people.in = In::people;
  people.is_transposed = true;
  people.drawing = {{"as", "lines"}, {"x", "ranks"}, {"doubling", true}, {"y", Json::array()}};
  for (auto const& factor : factors) people.drawing["y"].push_back(factor.quantity);
  people.hidden = families_by_time(of, std::nullopt).size() - families_by_time(of, shown.top).size();
  people.noun = "communicator";
  return document;
}

}  // namespace mpisee_through
