#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "comparison/changes_table.hpp"
#include "comparison/comparison_forms.hpp"
#include "comparison/notices.hpp"
#include "text/sparks.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

// A line for each communicator and for its operations.
std::vector<ChangeRow> rows_of(Comparison const& comparison, ComparisonLayout const& layout) {
  std::vector<ChangeRow> rows;
  for (CommunicatorChange const& one : table::first_of(comparison.communicators, layout.top)) {
    rows.push_back(row_of(one.change, "", one.name));
    if (layout.totals_only) continue;
    for (OperationChange const& operation : one.operations)
      rows.push_back(row_of(operation.change, "", one.name, operation.operation));
  }
  return rows;
}

// Text indents operations below their communicator; a page has a column for them, since its lines can be sorted.
ChangeColumns names_of_rows(Format format, ComparisonLayout const& layout) {
  using table::Kind, table::only_text;
  auto const name = [](ChangeRow const& row) { return row.op.empty() ? row.comm : "  " + row.op; };
  if (layout.totals_only) return {{"comm", "Communicator", Kind::name, &ChangeRow::comm, only_text}};
  if (format == Format::text) return {{"name", "Communicator, call", Kind::name, name, only_text}};
  return {{"comm", "Communicator", Kind::name, &ChangeRow::comm, only_text},
          {"op", "Call", Kind::name, &ChangeRow::op, only_text}};
}

std::string format_points(double difference) {
  return difference == 0 ? "0 points" : fmt::format("{:+.1f} points", 100 * difference);
}

table::View<EfficiencyChange> view_of_efficiencies(bool has_p) {
  using table::Kind;
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

table::View<RunOverTime> const& view_over_time() {
  using table::Kind, table::only_text;
  static table::View<RunOverTime> const view{
      .name = "over_time",
      .columns = {{"profile", "In MPI", Kind::name, &RunOverTime::name, only_text},
                  {"mean", "Mean", Kind::figure, &RunOverTime::mean, only_text},
                  {"picture", "Over the run", Kind::name, &RunOverTime::picture, only_text}}};
  return view;
}

void print_algorithms(std::ostream& out, std::vector<AlgorithmChange> const& changes, ComparisonLayout const& layout) {
  if (layout.totals_only) return;
  auto const shown = table::first_of(changes, layout.top);
  for (AlgorithmChange const& one : shown)
    print_fact(out, "Algorithm",
               fmt::format("{} on {}, {}: {} → {}, {}", one.operation, one.communicator, format_size_bin(one.sizes),
                           one.before, one.after, format_times(one.change)));
  if (shown.size() < changes.size())
    print_fact(out, "Algorithm", fmt::format("{} more, beyond --top", format_count(changes.size() - shown.size())));
}

void print_notices(std::ostream& out, std::vector<std::string> const& notices) {
  for (std::string const& notice : notices) print_fact(out, "Note", notice);
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

void print_remainder(std::ostream& out, std::size_t shown, std::size_t all) {
  if (shown < all) out << fmt::format("\nNot shown, beyond --top: {}.\n", format_count(all - shown));
}

std::string format_times(Change const& change) {
  std::string const p = change.p ? fmt::format(", p {}", format_p(change.p_adjusted)) : "";
  return fmt::format("{} → {}, {} ({}){}", format_seconds(change.before.time_s.median),
                     format_seconds(change.after.time_s.median), format_change(change.seconds()),
                     format_relative(change), p);
}

std::string significance_in_words(Change const& wall) {
  if (!wall.p || !wall.p_adjusted) return "";
  return wall.is_significant() ? "; significant" : "; no change is shown";
}

void show_comparison(std::ostream& out, Format format, Runs const& runs, Comparison const& comparison,
                     ComparisonLayout const& layout, bool with_caution) {
  std::vector<ChangeRow> const rows = rows_of(comparison, layout);
  auto const view = view_of_changes(names_of_rows(format, layout), comparison.wall.p.has_value());
  table::Table table = table_of(view, rows);
  table.is_dim = [&](std::size_t line) { return layout.grey && !rows[line].change->is_significant(); };
  std::vector<TablePart> parts;
  auto const with_p = view_of_efficiencies(!comparison.efficiencies.empty() && comparison.efficiencies.front().p);
  if (!comparison.efficiencies.empty()) parts.push_back({table_of(with_p, comparison.efficiencies)});
  auto const over_time = runs_over_time(runs, comparison);
  if (!over_time.empty()) parts.push_back({table_of(view_over_time(), over_time)});
  parts.push_back({.table = table, .if_empty = why_no_calls(runs)});
  parts.front().above = [&](std::ostream& text) {
    print_fact(text, "Before", name_group(runs, comparison.before));
    print_fact(text, "After", name_group(runs, comparison.after));
    print_notices(text, comparison.notices);
    if (with_caution) print_fact(text, "Note", comparison.caution);
    print_fact(text, "Wall time", format_times(comparison.wall) + significance_in_words(comparison.wall));
    print_fact(text, "MPI time", format_times(comparison.mpi) + ", mean over ranks");
    print_fact(text, "Outside", format_times(comparison.outside) + ", mean over ranks");
    print_algorithms(text, comparison.algorithms, layout);
    text << '\n';
  };
  parts.back().below = [&](std::ostream& text) {
    print_remainder(text, table::first_of(comparison.communicators, layout.top).size(),
                    comparison.communicators.size());
  };
  show_parts(out, format, parts);
}

}  // namespace mpisee_through
