#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

#include "comparison/comparison.hpp"
#include "text/units.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;

// A line of a table: what refers to a change, and the first profile of the group after.
struct Row {
  Change const* change;
  std::string_view after{};
};
using Columns = std::vector<table::Column<Row>>;

Change const& change_of(Row const& row) { return *row.change; }

// "+2.000 s"; "+12.3 %", "25x" from ten times on, "new", "gone", or "-" if there is no time before.
std::string format_difference(Change const& change) {
  double const seconds = change.difference();
  return seconds == 0 ? "0 s" : (seconds < 0 ? "-" : "+") + format_seconds(std::abs(seconds));
}
std::string format_relative(Change const& change) {
  if (change.before.runs == 0) return "new";
  if (change.after.runs == 0) return "gone";
  auto const relative = change.relative();
  if (!relative) return "-";
  double const factor = 1 + *relative;
  if (factor >= 10) return format_count(static_cast<std::uint64_t>(std::llround(factor))) + "x";
  return *relative == 0 ? "0 %" : fmt::format("{:+.1f} %", 100 * *relative);
}

// "10.00 s → 12.00 s, +2.000 s (+20.0 %), p 0.029".
std::string format_times(Change const& change) {
  std::string const p = change.p ? ", p " + table::Value(change.p_adjusted).text(Kind::probability) : "";
  return fmt::format("{} → {}, {} ({}){}", format_seconds(change.before.median), format_seconds(change.after.median),
                     format_difference(change), format_relative(change), p);
}

template <class Text>
table::Value both(std::optional<double> before, std::optional<double> after, Text text) {
  auto const rounded = [&](double amount) { return text(static_cast<std::uint64_t>(std::llround(amount))); };
  std::string const first = rounded(before.value_or(0)), second = rounded(after.value_or(0));
  return table::ordered(first == second ? first : fmt::format("{} → {}", first, second), after);
}

void add_side(Columns& columns, std::string const& key, std::string const& title, Side Change::*which, bool is_tested) {
  auto const of = [which](Row const& row) -> Side const& { return row.change->*which; };
  auto const median = [](Side const& one) { return one.runs == 0 ? table::Value() : table::Value(one.median); };
  auto const spread = [](Side const& one) { return share_of(one.upper_quartile - one.lower_quartile, one.median); };
  table::add_columns<Row, decltype(of), Side>(
      columns, of,
      {{key, title, Kind::seconds, median, In::people},
       {key + "_spread", is_tested ? "Spread" : "", Kind::share, spread, In::people},
       {key + "_runs", "", Kind::count, &Side::runs},
       {key + "_time_s", "", Kind::seconds, &Side::median},
       {key + "_time_mean_s", "", Kind::seconds, &Side::mean},
       {key + "_time_q1_s", "", Kind::seconds, &Side::lower_quartile},
       {key + "_time_q3_s", "", Kind::seconds, &Side::upper_quartile},
       {key + "_calls", "", Kind::count, &Side::calls},
       {key + "_bytes", "", Kind::bytes, &Side::bytes}});
}

// totals_only: no lines of calls. is_tested: people see p.
table::View<Row> view_of_changes(bool totals_only, bool is_tested) {
  auto const name = [](Row const& row) {
    return row.change->operation.empty() ? row.change->communicator : "  " + row.change->operation;
  };
  // Text has calls below their communicator; the lines of a page can be sorted.
  Columns columns{{"name", totals_only ? "Communicator" : "Communicator, call", Kind::name, name, In::text},
                  {"after", "", Kind::name, &Row::after}};
  auto const add = [&](std::initializer_list<table::Column<Change>> more) {
    table::add_columns<Row, Change const& (*)(Row const&), Change>(columns, change_of, more);
  };
  add({{"comm", "Communicator", Kind::name, &Change::communicator, ~In::text}});
  if (!totals_only) add({{"op", "Call", Kind::name, &Change::operation, ~In::text}});
  add_side(columns, "before", "Before", &Change::before, is_tested);
  add_side(columns, "after", "After", &Change::after, is_tested);
  auto const change = [](Change const& one) { return table::ordered(format_difference(one), one.difference()); };
  // A new call grows beyond all others.
  auto const relative = [](Change const& one) {
    return table::ordered(format_relative(one),
                          one.before.runs == 0 ? std::numeric_limits<double>::max() : one.relative());
  };
  auto const calls = [](Change const& one) { return both(one.before.calls, one.after.calls, format_count); };
  auto const volume = [](Change const& one) { return both(one.before.bytes, one.after.bytes, format_bytes); };
  add({{"change", "Change", Kind::figure, change, In::people},
       {"change_s", "", Kind::seconds, &Change::difference},
       {"relative", "Relative", Kind::figure, relative, In::people},
       {"change_relative", "", Kind::share, &Change::relative},
       {"p", "", Kind::probability, &Change::p},
       {"p_adjusted", is_tested ? "p" : "", Kind::probability, &Change::p_adjusted},
       {"quantity", "", Kind::name, &Change::quantity},
       {"significant", is_tested ? "Significant" : "", Kind::flag, &Change::is_significant, In::people},
       {"calls", "Calls", Kind::figure, calls, In::people},
       {"volume", "Volume", Kind::figure, volume, In::people}});
  return {.name = "changes", .columns = std::move(columns)};
}

// A line for each communicator, and for each of its operations; for programs either.
std::vector<Row> rows_of_communicators(Comparison const& comparison, ComparisonLayout const& layout, bool has_totals) {
  std::vector<Row> rows;
  for (CommunicatorChange const& one : table::first_of(comparison.communicators, layout.top)) {
    if (has_totals || layout.totals_only) rows.push_back({&one.all});
    if (layout.totals_only) continue;
    for (Change const& operation : one.operations) rows.push_back({&operation});
  }
  return rows;
}

table::Table table_for_programs(Runs const& runs, std::vector<Comparison> const& comparisons,
                                ComparisonLayout const& layout) {
  std::vector<Row> rows;
  for (Comparison const& comparison : comparisons) {
    std::size_t const first = rows.size();
    for (Change const& one : comparison.whole) rows.push_back({&one});
    std::ranges::move(rows_of_communicators(comparison, layout, false), std::back_inserter(rows));
    for (std::size_t i = first; i < rows.size(); ++i) rows[i].after = runs.heads[comparison.after.front()].profile;
  }
  table::Table table = table_of(view_of_changes(layout.totals_only, false), std::move(rows));
  table.in = In::data;
  return table;
}

table::Table table_of_efficiencies(Comparison const& comparison) {
  auto const points = [](Change const& one) {
    return one.difference() == 0 ? "0 points" : fmt::format("{:+.1f} points", 100 * one.difference());
  };
  table::View<Change> view{
      .name = "efficiencies",
      .columns = {{"name", "Efficiency", Kind::name, &Change::title},
                  {"before", "Before", Kind::share, [](Change const& one) { return one.before.median; }},
                  {"after", "After", Kind::share, [](Change const& one) { return one.after.median; }},
                  {"change", "Change", Kind::figure, points}}};
  if (comparison.is_tested()) view.columns.push_back({"p", "p", Kind::probability, &Change::p});
  auto const efficiencies = comparison.efficiencies();
  return table_of(view, std::vector(efficiencies.begin(), efficiencies.end()));
}

std::vector<Note> facts_of(Runs const& runs, Comparison const& comparison) {
  std::string_view const significance = !comparison.is_tested()              ? ""
                                        : comparison.wall().is_significant() ? "; significant"
                                                                             : "; no change is shown";
  return {{"After", name_group(runs, comparison.after)},
          {"Wall time", fmt::format("{}{}", format_times(comparison.wall()), significance)},
          {"MPI time", format_times(comparison.whole[1]) + ", mean over ranks"},
          {"Outside", format_times(comparison.whole[2]) + ", mean over ranks"}};
}

// The tables of a comparison for people.
void add_tables(std::vector<table::Table>& tables, Runs const& runs, Comparison const& comparison,
                ComparisonLayout const& layout) {
  std::size_t const first = tables.size();
  std::vector<Row> rows = rows_of_communicators(comparison, layout, true);
  std::vector<bool> is_dim;
  for (Row const& row : rows) is_dim.push_back(!row.change->is_significant());
  tables.push_back(table_of_efficiencies(comparison));
  tables.push_back(table_of(view_of_changes(layout.totals_only, comparison.is_tested()), std::move(rows)));
  table::Table& changes = tables.back();
  changes.name = "communicators";
  changes.is_dim = [is_dim = std::move(is_dim)](std::size_t line) { return is_dim[line]; };
  changes.if_empty = why_no_calls(runs);
  changes.hidden = comparison.communicators.size() - table::first_of(comparison.communicators, layout.top).size();
  changes.noun = "communicator";
  for (std::size_t i = first; i < tables.size(); ++i) tables[i].in = In::people;
  for (Note const& fact : facts_of(runs, comparison)) tables[first].above += line_of(fact);
  tables[first].above += '\n';
}

// What distinguishes the runs, once each; of several comparisons with the name of the runs after.
std::vector<Note> notes_of(Runs const& runs, std::vector<Comparison> const& comparisons) {
  std::vector<Note> notes;
  std::set<std::string> told;
  for (Comparison const& one : comparisons) {
    std::string const whom = comparisons.size() == 1 ? "" : name_group(runs, one.after) + ": ";
    for (std::string const& notice : notices_of(runs, one.before, one.after))
      if (told.insert(notice).second) notes.emplace_back("Note", whom + notice);
    std::string const caution = caution_of(runs, one.before, one.after);
    if (!caution.empty() && told.insert(caution).second) notes.emplace_back("Note", caution);
  }
  return notes;
}

table::Table table_of_runs(Runs const& runs, std::vector<Comparison> const& comparisons) {
  using One = std::pair<std::string_view, Overview const*>;
  table::View<One> view{.name = "runs", .columns = {{"side", "", Kind::name, &One::first}}};
  table::add_columns<One>(
      view.columns, [](One const& one) -> Overview const& { return *one.second; },
      std::initializer_list<table::Column<Overview>>{
          {"profile", "", Kind::name, &Overview::profile},
          {"program", "", Kind::name, [](Overview const& one) { return one.run.program; }},
          {"ranks", "", Kind::count, [](Overview const& one) { return one.run.ranks; }},
          {"selected_ranks", "", Kind::count, &Overview::selected_ranks},
          {"wall_s", "", Kind::seconds, [](Overview const& one) { return one.run.wall_s; }},
          {"rank_mpi_s", "", Kind::seconds, &Overview::mpi_s},
          {"unfinished", "", Kind::flag, [](Overview const& one) { return one.run.unfinished.has_value(); }}});
  std::vector<One> lines;
  for (std::size_t const run : comparisons.front().before) lines.emplace_back("before", &runs.heads[run]);
  for (Comparison const& one : comparisons)
    for (std::size_t const run : one.after) lines.emplace_back("after", &runs.heads[run]);
  table::Table table = table_of(view, std::move(lines));
  table.in = In::json;
  return table;
}

// The first slowdowns, and the number of the others.
std::string in_words(std::vector<Change const*> slowdowns) {
  constexpr std::size_t most_described = 3;
  std::ranges::stable_sort(slowdowns, std::ranges::greater{}, &Change::relative);
  std::vector<std::string> words;
  for (Change const* one : table::first_of(slowdowns, most_described))
    words.push_back(
        fmt::format("{} {}", one->communicator.empty() ? "wall time" : one->communicator, format_times(*one)));
  if (slowdowns.size() > most_described) words.push_back(fmt::format("and {} more", slowdowns.size() - most_described));
  return fmt::format("{}", fmt::join(words, "; "));
}

}  // namespace

Verdict judge(Comparison const& comparison, bool are_selected_calls, double limit) {
  std::vector<Change const*> slower, uncertain;
  auto const judge_one = [&](Change const& change) {
    if (change.relative().value_or(0) > limit) (change.is_significant() ? slower : uncertain).push_back(&change);
  };
  if (!are_selected_calls) judge_one(comparison.wall());
  else
    for (CommunicatorChange const& one : comparison.communicators) judge_one(one.all);
  return {in_words(std::move(slower)), in_words(std::move(uncertain))};
}

std::string_view why_no_calls(Runs const& runs) {
  auto const with_calls =
      std::ranges::find_if(runs.heads, [](Overview const& head) { return !head.run.has_no_calls(); });
  return why_no_calls(with_calls == runs.heads.end() ? runs.heads.front().run : with_calls->run);
}

std::string name_group(Runs const& runs, RunGroup const& group) {
  std::string const& first = runs.heads[group.front()].profile;
  if (group.size() == 1) return first;
  return fmt::format("{} to {} ({} runs)", first, runs.heads[group.back()].profile, format_count(group.size()));
}

Document comparisons(Runs const& runs, std::vector<Comparison> const& all, ComparisonLayout const& layout) {
  Document document;
  document.head.emplace_back("Before", name_group(runs, all.front().before));
  document.notes = notes_of(runs, all);
  document.tables = {table_for_programs(runs, all, layout), table_of_runs(runs, all)};
  for (Comparison const& one : all) add_tables(document.tables, runs, one, layout);
  return document;
}

}  // namespace mpisee_through
