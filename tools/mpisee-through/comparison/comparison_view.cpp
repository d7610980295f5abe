#include "comparison/comparison_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "comparison/changes_table.hpp"
#include "comparison/notices.hpp"
#include "text/sparks.hpp"
#include "text/units.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;

// A line for each communicator and for its operations.
std::vector<ChangeRow> rows_for_people(Comparison const& comparison, ComparisonLayout const& layout) {
  std::vector<ChangeRow> rows;
  for (CommunicatorChange const& one : table::first_of(comparison.communicators, layout.top)) {
    rows.push_back(row_of(one.change, "", one.name));
    if (layout.totals_only) continue;
    for (OperationChange const& operation : one.operations)
      rows.push_back(row_of(operation.change, "", one.name, operation.operation));
  }
  return rows;
}

std::vector<ChangeRow> rows_for_programs(Runs const& runs, std::vector<Comparison> const& comparisons,
                                         ComparisonLayout const& layout) {
  std::vector<ChangeRow> rows;
  for (Comparison const& comparison : comparisons) {
    std::string const& after = runs.heads[comparison.after.front()].profile;
    std::ranges::move(rows_of_runs(comparison, after), std::back_inserter(rows));
    std::ranges::move(rows_over_time(runs, comparison, after), std::back_inserter(rows));
    for (CommunicatorChange const& one : table::first_of(comparison.communicators, layout.top)) {
      if (layout.totals_only) rows.push_back(row_of(one.change, after, one.name));
      else
        for (OperationChange const& operation : one.operations)
          rows.push_back(row_of(operation.change, after, one.name, operation.operation));
    }
    if (!layout.totals_only) std::ranges::move(rows_of_algorithms(comparison, after), std::back_inserter(rows));
  }
  return rows;
}

std::string format_points(double difference) {
  return difference == 0 ? "0 points" : fmt::format("{:+.1f} points", 100 * difference);
}

table::View<EfficiencyChange> view_of_efficiencies(bool has_p) {
  auto const name = [](EfficiencyChange const& one) {
    return std::string(2 * static_cast<std::size_t>(one.depth), ' ') + std::string(one.name);
  };
  table::View<EfficiencyChange> view{
      .name = "efficiencies",
      .columns = {{"name", "Efficiency", Kind::name, name},
                  {"before", "Before", Kind::share, [](EfficiencyChange const& one) { return one.before.median; }},
                  {"after", "After", Kind::share, [](EfficiencyChange const& one) { return one.after.median; }},
                  {"change", "Change", Kind::figure,
                   [](EfficiencyChange const& one) { return format_points(one.difference()); }}}};
  if (has_p) view.columns.push_back({"p", "p", Kind::probability, &EfficiencyChange::p});
  return view;
}

// A run from its begin to its end.
struct RunOverTime {
  std::string name, mean, picture;
};
std::vector<RunOverTime> runs_over_time(Runs const& runs, Comparison const& comparison) {
  constexpr std::size_t most_lines = 8;  // of a group
  std::vector<RunOverTime> lines;
  for (RunGroup const* group : {&comparison.before, &comparison.after}) {
    std::size_t shown = 0;
    for (std::size_t const run : *group) {
      if (runs.mpi_over_time[run].empty() || ++shown > most_lines) continue;
      std::string picture;
      for (double const share : runs.mpi_over_time[run]) picture += spark_of(share);
      lines.push_back({runs.heads[run].profile, format_share(runs.heads[run].mpi_share()), picture});
    }
  }
  return lines;
}

table::View<RunOverTime> view_over_time() {
  return {.name = "over_time",
          .columns = {{"profile", "In MPI", Kind::name, &RunOverTime::name},
                      {"mean", "Mean", Kind::figure, &RunOverTime::mean},
                      {"picture", "Over the run", Kind::name, &RunOverTime::picture}}};
}

std::string significance_in_words(Change const& wall) {
  if (!wall.p || !wall.p_adjusted) return "";
  return wall.is_significant() ? "; significant" : "; no change is shown";
}

std::vector<Note> facts_of(Runs const& runs, Comparison const& comparison, ComparisonLayout const& layout) {
  std::vector<Note> facts{{"After", name_group(runs, comparison.after)},
                          {"Wall time", format_times(comparison.wall) + significance_in_words(comparison.wall)},
                          {"MPI time", format_times(comparison.mpi) + ", mean over ranks"},
                          {"Outside", format_times(comparison.outside) + ", mean over ranks"}};
  if (layout.totals_only) return facts;
  auto const shown = table::first_of(comparison.algorithms, layout.top);
  for (AlgorithmChange const& one : shown)
    facts.emplace_back("Algorithm",
                       fmt::format("{} on {}, {}: {} → {}, {}", one.operation, one.communicator,
                                   format_size_bin(one.sizes), one.before, one.after, format_times(one.change)));
  if (shown.size() < comparison.algorithms.size())
    facts.emplace_back("Algorithm",
                       fmt::format("{} more, beyond --top", format_count(comparison.algorithms.size() - shown.size())));
  return facts;
}

// The tables of a comparison for people.
void add_tables(std::vector<table::Table>& tables, Runs const& runs, Comparison const& comparison,
                ComparisonLayout const& layout) {
  std::size_t const first = tables.size();
  std::vector<ChangeRow> rows = rows_for_people(comparison, layout);
  std::vector<bool> is_dim;
  for (ChangeRow const& row : rows) is_dim.push_back(!row.change->is_significant());
  if (!comparison.efficiencies.empty())
    tables.push_back(
        table_of(view_of_efficiencies(comparison.efficiencies.front().p.has_value()), comparison.efficiencies));
  tables.push_back(table_of(view_over_time(), runs_over_time(runs, comparison)));
  tables.push_back(table_of(view_of_changes(layout.totals_only, comparison.wall.p.has_value()), std::move(rows)));
  table::Table& changes = tables.back();
  changes.name = "communicators";
  changes.is_dim = [is_dim = std::move(is_dim)](std::size_t line) { return is_dim[line]; };
  changes.if_empty = why_no_calls(runs);
  changes.hidden = comparison.communicators.size() - table::first_of(comparison.communicators, layout.top).size();
  changes.noun = "communicator";
  for (std::size_t i = first; i < tables.size(); ++i) tables[i].in = In::people;
  for (Note const& fact : facts_of(runs, comparison, layout)) tables[first].above += line_of(fact);
  tables[first].above += '\n';
}

// What distinguishes the runs, once each; of several comparisons with the name of the runs after.
std::vector<Note> notes_of(Runs const& runs, std::vector<Comparison> const& comparisons) {
  std::vector<Note> notes;
  std::set<std::string> told;
  auto const add = [&](Comparison const& of, std::string const& notice) {
    if (notice.empty() || !told.insert(notice).second) return;
    notes.emplace_back("Note", comparisons.size() == 1 || notice == of.caution
                                   ? notice
                                   : fmt::format("{}: {}", name_group(runs, of.after), notice));
  };
  for (Comparison const& one : comparisons) {
    for (std::string const& notice : one.notices) add(one, notice);
    add(one, one.caution);
  }
  return notes;
}

struct ComparedRun {
  std::string_view side;
  Overview const* head;
};

table::Table table_of_runs(Runs const& runs, std::vector<Comparison> const& comparisons) {
  table::View<ComparedRun> const view{
      .name = "runs",
      .columns = {
          {"side", "", Kind::name, &ComparedRun::side},
          {"profile", "", Kind::name, [](ComparedRun const& one) { return one.head->profile; }},
          {"program", "", Kind::name, [](ComparedRun const& one) { return one.head->run.program; }},
          {"ranks", "", Kind::count, [](ComparedRun const& one) { return one.head->run.ranks; }},
          {"selected_ranks", "", Kind::count, [](ComparedRun const& one) { return one.head->selected_ranks; }},
          {"wall_s", "", Kind::seconds, [](ComparedRun const& one) { return one.head->run.wall_s; }},
          {"rank_mpi_s", "", Kind::seconds, [](ComparedRun const& one) { return one.head->mpi_s; }},
          {"unfinished", "", Kind::flag, [](ComparedRun const& one) { return one.head->run.unfinished.has_value(); }}}};
  std::vector<ComparedRun> lines;
  for (std::size_t const run : comparisons.front().before) lines.push_back({"before", &runs.heads[run]});
  for (Comparison const& one : comparisons)
    for (std::size_t const run : one.after) lines.push_back({"after", &runs.heads[run]});
  table::Table table = table_of(view, std::move(lines));
  table.in = In::json;
  return table;
}

}  // namespace

std::string format_change(double seconds) {
  if (seconds == 0) return "0 s";
  return (seconds < 0 ? "-" : "+") + format_seconds(std::abs(seconds));
}

std::string format_relative(Change const& change) {
  if (change.before.runs == 0 && change.after.runs > 0) return "new";
  if (change.after.runs == 0 && change.before.runs > 0) return "gone";
  auto const relative = change.relative();
  if (!relative) return "-";
  if (*relative == 0) return "0 %";
  double const factor = 1 + *relative;
  if (factor >= 10) return format_count(static_cast<std::uint64_t>(std::llround(factor))) + "x";
  return fmt::format("{:+.1f} %", 100 * *relative);
}

std::string_view why_no_calls(Runs const& runs) {
  auto const with_calls =
      std::ranges::find_if(runs.heads, [](Overview const& head) { return !head.run.has_no_calls(); });
  return why_no_calls(with_calls == runs.heads.end() ? runs.heads.front().run : with_calls->run);
}

std::string format_times(Change const& change) {
  std::string const p = change.p ? fmt::format(", p {}", format_p(change.p_adjusted)) : "";
  return fmt::format("{} → {}, {} ({}){}", format_seconds(change.before.time_s.median),
                     format_seconds(change.after.time_s.median), format_change(change.seconds()),
                     format_relative(change), p);
}

std::string name_group(Runs const& runs, RunGroup const& group) {
  std::string const& first = runs.heads[group.front()].profile;
  if (group.size() == 1) return first;
  return fmt::format("{} to {} ({} runs)", first, runs.heads[group.back()].profile, format_count(group.size()));
}

std::string format_p(std::optional<double> p) { return table::Value(p).text(Kind::probability); }

Document comparisons(Runs const& runs, std::vector<Comparison> const& all, ComparisonLayout const& layout) {
  Document document;
  document.head.emplace_back("Before", name_group(runs, all.front().before));
  document.notes = notes_of(runs, all);
  document.tables.push_back(table_of(view_of_changes(layout.totals_only, false), rows_for_programs(runs, all, layout)));
  document.tables.front().in = In::data;
  document.tables.push_back(table_of_runs(runs, all));
  for (Comparison const& one : all) add_tables(document.tables, runs, one, layout);
  return document;
}

}  // namespace mpisee_through
