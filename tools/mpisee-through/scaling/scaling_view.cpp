// Shows a line for each number of ranks, measured or extrapolated, and for each family of communicators on it. The text
// form has columns in place of these lines. A history has lines for each commit.
#include "scaling/scaling_view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "scaling/scaling_forms.hpp"
#include "table/forms.hpp"
#include "text/columns.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

using table::Kind, table::only_csv, table::only_json, table::only_text, table::TextCells;

struct ScalingRow {
  std::uint32_t ranks;
  ScalingPoint const* point;                 // null for extrapolated times
  ExtrapolatedTime const* beyond = nullptr;  // null for measured ones
  std::string family{};                      // of communicators; empty for the whole runs
  ScalingPoint const* before = nullptr;      // on this number of ranks at an earlier commit
  CommitRuns const* commit = nullptr;        // null except in the first line of a commit

  [[nodiscard]] bool is_whole() const { return point != nullptr && family.empty(); }
};
using ScalingColumns = std::vector<table::Column<ScalingRow>>;

// Makes the value empty in lines of families.
template <class Of>
auto whole(Of of) {
  return [of](ScalingRow const& row) { return row.is_whole() ? table::Value(of(*row.point)) : table::Value(); };
}

// A time that was measured or extrapolated.
auto wall(double Distribution::*measured, double ExtrapolatedTime::*beyond) {
  return [=](ScalingRow const& row) {
    if (row.beyond != nullptr) return table::Value(row.beyond->*beyond);
    return row.is_whole() ? table::Value(row.point->wall_s.*measured) : table::Value();
  };
}

table::Value share_of_family(ScalingRow const& row) {
  auto const found = row.point->communicator_shares.find(row.family);
  return found == row.point->communicator_shares.end() ? table::Value() : table::Value(found->second);
}

table::Value wall_share(ScalingRow const& row) {
  if (row.point == nullptr) return {};
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
                     only_text});
  columns.push_back({"of_ideal_text", "  of the ideal" + if_it_is, Kind::share,
                     gain(kind, &ScalingPoint::Gain::of_ideal), only_text});
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
  auto const runs = [](ScalingRow const& row) {
    return row.point == nullptr ? table::Value() : table::Value(row.point->runs.size());
  };
  auto const hosts = [](ScalingRow const& row) {
    return row.point == nullptr ? table::Value() : table::Value(row.point->hosts);
  };
  ScalingColumns columns{{"ranks", "Ranks", Kind::count, [](ScalingRow const& row) { return row.ranks; }},
                         {"comm", "", Kind::name, [](ScalingRow const& row) { return row.family; }, only_csv},
                         {"runs", has_repetitions ? "Runs" : "", Kind::count, runs, only_csv},
                         {"fastest", has_repetitions ? "Fastest" : "", Kind::seconds,
                          wall(&Distribution::min, &ExtrapolatedTime::low_s), only_text},
                         {"slowest", has_repetitions ? "Slowest" : "", Kind::seconds,
                          wall(&Distribution::max, &ExtrapolatedTime::high_s), only_text},
                         {"hosts", "", Kind::count, hosts},
                         {"wall_s", "Wall time", Kind::seconds, wall(&Distribution::median, &ExtrapolatedTime::wall_s)},
                         {"wall_min_s", "", Kind::seconds, wall(&Distribution::min, &ExtrapolatedTime::low_s)},
                         {"wall_max_s", "", Kind::seconds, wall(&Distribution::max, &ExtrapolatedTime::high_s)},
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
  columns.insert(
      columns.end(),
      {{"wall_share", "", Kind::share, wall_share, only_csv},
       {"mpi_share", "", Kind::share, whole([](ScalingPoint const& point) { return point.mpi_share; }), only_json},
       {"queued_share", "", Kind::share, whole([](ScalingPoint const& point) { return point.queued_share; }),
        only_json},
       {"extrapolated", "", Kind::flag, [](ScalingRow const& row) { return row.beyond != nullptr; }, only_csv},
       {"strong_speed_up", "", Kind::ratio, gain(ScalingKind::strong, &ScalingPoint::Gain::speed_up)},
       {"weak_speed_up", "", Kind::ratio, gain(ScalingKind::weak, &ScalingPoint::Gain::speed_up)}});
  return {.name = "points", .columns = std::move(columns)};
}

table::View<ScalingPoint> view_of_shares(ScalingShown const& shown) {
  table::View<ScalingPoint> view{
      .name = "shares",
      .columns = {{"ranks", "Of the ranks' time", Kind::count, [](ScalingPoint const& point) { return point.ranks; }},
                  {"mpi_share", "In MPI", Kind::share, [](ScalingPoint const& point) { return point.mpi_share; }}}};
  for (std::string const& family : families_by_time(shown.scaling, shown.top))
    view.columns.push_back({family, "  " + family, Kind::share, [family](ScalingPoint const& point) {
                              return share_of_family({point.ranks, &point, nullptr, family});
                            }});
  return view;
}

std::vector<ScalingRow> rows_of(Scaling const& scaling) {
  std::vector<ScalingRow> rows;
  for (ScalingPoint const& point : scaling.points) rows.push_back({point.ranks, &point});
  return rows;
}

std::vector<ScalingRow> rows_of_csv(ScalingShown const& shown) {
  std::vector<ScalingRow> rows = rows_of(shown.scaling);
  for (ExtrapolatedTime const& one : shown.extrapolation.times) rows.push_back({one.ranks, nullptr, &one});
  for (std::string const& family : families_by_time(shown.scaling, shown.top))
    for (ScalingPoint const& point : shown.scaling.points)
      if (point.communicator_shares.contains(family)) rows.push_back({point.ranks, &point, nullptr, family});
  return rows;
}

// Adds the runs on this number of ranks, and the ranks' time by family.
void add_members(Json& object, ScalingShown const& shown, ScalingPoint const& point) {
  Json& runs = object["runs"] = Json::array();
  for (std::size_t const run : point.runs) runs.push_back(shown.runs.heads[run].profile);
  Json& shares = object["communicators"] = Json::object();
  for (std::string const& family : families_by_time(shown.scaling, shown.top)) {
    auto const found = point.communicator_shares.find(family);
    if (found != point.communicator_shares.end()) shares[family] = found->second;
  }
}

Json extrapolation_object(Extrapolation const& extrapolation) {
  Json times = Json::array();
  for (ExtrapolatedTime const& one : extrapolation.times)
    times.push_back({{"ranks", one.ranks}, {"wall_s", one.wall_s}, {"low_s", one.low_s}, {"high_s", one.high_s}});
  return {{"law", extrapolation.law}, {"reason", extrapolation.reason}, {"times", std::move(times)}};
}

void write_json(std::ostream& out, ScalingShown const& shown) {
  Scaling const& scaling = shown.scaling;
  auto const view = view_of_scaling(scaling);
  auto const rows = rows_of(scaling);
  table::Table table = table_of(view, rows);
  table.members = [&](std::size_t line, Json& object) { add_members(object, shown, *rows[line].point); };
  write_json(out, table,
             {{"scaling", name_of(scaling.kind)},
              {"region", shown.region},
              {"told_by_growth", scaling.is_told},
              {"growth", scaling.growth ? Json(*scaling.growth) : Json()},
              {"notes", scaling.notices},
              {"extrapolation", extrapolation_object(shown.extrapolation)}});
}

TextCells transposed(TextCells const& cells) {
  TextCells lines(cells.front().size());
  for (auto const& column : cells)
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i].push_back(column[i]);
  return lines;
}

Columns columns_of(TextCells const& table) {
  using namespace align;
  std::vector<Columns::Column> titles;
  for (std::string const& title : table.front()) titles.push_back({title, titles.empty() ? left : right});
  Columns columns(0, titles);
  for (auto const& line : table) columns.fit(line);
  return columns;
}

// Prints a table with columns as wide as those of `other`.
void print_table(std::ostream& out, TextCells const& table, TextCells const& other) {
  Columns columns = columns_of(table);
  columns.fit(columns_of(other));
  for (auto const& line : table) columns.print(out, line);
}

void print_scaling(std::ostream& out, ScalingShown const& shown) {
  Scaling const& scaling = shown.scaling;
  print_fact(out, "Program", programs_of(shown.runs));
  if (!shown.region.empty()) print_fact(out, "Region", shown.region);
  print_fact(out, "Runs", describe_runs(shown));
  print_fact(out, "Scaling", describe_kind(scaling));
  for (std::string const& notice : scaling.notices) print_fact(out, "Note", notice);
  if (std::ranges::all_of(scaling.points, [](ScalingPoint const& one) { return one.runs.size() == 1; }))
    print_fact(out, "Note", "One run on each number of ranks: differences may be chance; repeat the runs.");
  out << '\n';
  auto const view = view_of_scaling(scaling);
  auto const rows = rows_of(scaling);
  auto const view_of_parts = view_of_shares(shown);
  TextCells const values = transposed(text_cells(table_of(view, rows)));
  TextCells const shares = transposed(text_cells(table_of(view_of_parts, scaling.points)));
  print_table(out, values, shares);
  out << '\n';
  print_table(out, shares, values);
  std::size_t const all = families_by_time(scaling, std::nullopt).size();
  std::size_t const listed = families_by_time(scaling, shown.top).size();
  if (listed < all) out << fmt::format("Not shown, beyond --top: {}.\n", format_count(all - listed));
  out << '\n';
  print_fact(out, "Beyond", describe_law(shown));
  for (ExtrapolatedTime const& one : shown.extrapolation.times) print_fact(out, "", describe(one));
}

// The first digits of a commit's hash.
std::string short_commit(std::string const& commit) {
  constexpr std::size_t most_digits = 12, digits_of_hash = 40;
  bool const is_hash =
      commit.size() >= digits_of_hash && commit.find_first_not_of("0123456789abcdef") == std::string::npos;
  return is_hash ? commit.substr(0, most_digits) : commit;
}

// The change of the wall time since an earlier commit.
std::string change_since(ScalingPoint const* before, ScalingPoint const& after) {
  if (before == nullptr || before->wall_s.median <= 0) return "-";
  return fmt::format("{:+.1f} %", 100 * (after.wall_s.median / before->wall_s.median - 1));
}

table::View<CommitRuns> view_of_commits() {
  return {.name = "commits",
          .columns = {{"start", "", Kind::name, [](CommitRuns const& one) { return one.start; }},
                      {"commit", "", Kind::name, [](CommitRuns const& one) { return one.commit; }}}};
}

table::View<ScalingRow> view_of_history() {
  ScalingColumns columns{
      {"", "Start", Kind::name, [](ScalingRow const& row) { return row.commit != nullptr ? row.commit->start : ""; },
       only_text},
      {"", "Commit", Kind::name,
       [](ScalingRow const& row) { return row.commit != nullptr ? short_commit(row.commit->commit) : ""; }, only_text},
      {"ranks", "Ranks", Kind::count, [](ScalingRow const& row) { return row.ranks; }},
      {"runs", "Runs", Kind::count, [](ScalingRow const& row) { return row.point->runs.size(); }},
      {"wall_s", "Wall time", Kind::seconds, [](ScalingRow const& row) { return row.point->wall_s.median; }},
      {"", "Change", Kind::figure, [](ScalingRow const& row) { return change_since(row.before, *row.point); },
       only_text}};
  add_factors(columns, {"", "Parallel", "Balance", "Comm.", ""});
  return {.name = "points", .columns = std::move(columns)};
}

// The rows of all commits, and the index at which each commit begins.
struct HistoryRows {
  std::vector<ScalingRow> rows;
  std::vector<std::size_t> begin;
};
HistoryRows rows_of(History const& history) {
  HistoryRows all;
  for (std::size_t i = 0; i < history.size(); ++i) {
    all.begin.push_back(all.rows.size());
    for (ScalingPoint const& point : history[i].scaling.points) {
      bool const is_first = &point == &history[i].scaling.first();
      all.rows.push_back({.ranks = point.ranks,
                          .point = &point,
                          .before = point_before(history, i, point.ranks),
                          .commit = is_first ? &history[i] : nullptr});
    }
  }
  return all;
}

}  // namespace

void show(std::ostream& out, ScalingShown const& shown, Format format) {
  if (format == Format::text) return print_scaling(out, shown);
  if (format == Format::json) return write_json(out, shown);
  auto const view = view_of_scaling(shown.scaling);
  auto const rows = rows_of_csv(shown);
  write_csv(out, table_of(view, rows));
}

void show(std::ostream& out, History const& history, Format format) {
  auto const outer = view_of_commits();
  auto const inner = view_of_history();
  auto const [rows, begin] = rows_of(history);
  if (format == Format::text) return write_text(out, table_of(inner, rows), {});
  table::Nested const nested{table_of(outer, history), table_of(inner, rows), begin};
  if (format == Format::csv) write_csv(out, nested);
  else write_json(out, nested, Json::object());
}

Json page_table_of_values(ScalingShown const& shown) {
  auto const view = view_of_scaling(shown.scaling);
  auto const rows = rows_of(shown.scaling);
  return page_table(table_of(view, rows));
}

Json page_table_of_shares(ScalingShown const& shown) {
  auto const view = view_of_shares(shown);
  return page_table(table_of(view, shown.scaling.points));
}

Json page_table_of(History const& history) {
  auto const view = view_of_history();
  auto [rows, begin] = rows_of(history);
  for (std::size_t i = 1; i < rows.size(); ++i)  // a page can be sorted
    if (rows[i].commit == nullptr) rows[i].commit = rows[i - 1].commit;
  return page_table(table_of(view, rows));
}

std::string programs_of(Runs const& runs) {
  std::vector<std::string> const programs = program_of_each(runs);
  return fmt::format("{}", fmt::join(std::set(programs.begin(), programs.end()), ", "));
}

std::string describe_runs(ScalingShown const& shown) {
  std::uint32_t const fewest = shown.scaling.first().ranks, most = shown.scaling.last().ranks;
  return fmt::format("{} on {}{}", format_number_of(shown.runs.heads.size(), "run"),
                     fewest == most ? "" : format_count(fewest) + " to ", format_number_of(most, "rank"));
}

std::string describe(ExtrapolatedTime const& one) {
  return fmt::format("{}: {}, with 95 % probability {} to {} if the law holds", format_number_of(one.ranks, "rank"),
                     format_seconds(one.wall_s), format_seconds(std::max(one.low_s, 0.0)), format_seconds(one.high_s));
}

std::string describe_law(ScalingShown const& shown) {
  Extrapolation const& extrapolation = shown.extrapolation;
  if (!extrapolation.reason.empty()) return "not extrapolated: " + extrapolation.reason;
  bool const is_one_host =
      std::ranges::all_of(shown.scaling.points, [](ScalingPoint const& point) { return point.hosts <= 1; });
  return fmt::format("{}, fitted to {} of ranks{}", extrapolation.law,
                     format_number_of(shown.scaling.points.size(), "number"),
                     is_one_host ? "; all runs were on one host, so this knows no network" : "");
}

}  // namespace mpisee_through
