#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>

#include "comparison/changes_table.hpp"
#include "comparison/comparison_forms.hpp"
#include "comparison/notices.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

// Prints a line for each communicator and, indented, for its operations.
void print_changes(std::ostream& out, Comparison const& comparison, ComparisonLayout const& layout) {
  std::vector<ChangeRow> rows;
  for (CommunicatorChange const& one : table::first_of(comparison.communicators, layout.top)) {
    rows.push_back(row_of(one.change, "", one.name));
    if (layout.totals_only) continue;
    for (OperationChange const& operation : one.operations)
      rows.push_back(row_of(operation.change, "", one.name, operation.operation));
  }
  auto const name = [](ChangeRow const& row) { return row.op.empty() ? row.comm : "  " + row.op; };
  auto const view = view_of_changes(
      {{"name", layout.totals_only ? "Communicator" : "Communicator, call", table::Kind::name, name, table::only_text}},
      comparison.wall.p.has_value());
  table::Table table = table_of(view, rows);
  table.is_dim = [&](std::size_t line) { return layout.grey && !rows[line].change->is_significant(); };
  write_text(out, table, {});
}

std::string format_points(double difference) {
  return difference == 0 ? "0 points" : fmt::format("{:+.1f} points", 100 * difference);
}

void print_efficiencies(std::ostream& out, std::vector<EfficiencyChange> const& efficiencies) {
  using table::Kind;
  if (efficiencies.empty()) return;
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
  if (efficiencies.front().p) view.columns.push_back({"p", "p", Kind::probability, &EfficiencyChange::p});
  write_text(out, table_of(view, efficiencies), {});
  out << '\n';
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
  if (shown < all) fmt::print(out, "\nNot shown, beyond --top: {}.\n", format_count(all - shown));
}

std::string format_times(Change const& change) {
  std::string const p = change.p ? fmt::format(", p {}", format_p(change.p_adjusted)) : "";
  return fmt::format("{} → {}, {} ({}){}", format_seconds(change.before.time_s.median),
                     format_seconds(change.after.time_s.median), format_change(change.seconds()),
                     format_relative(change), p);
}

void print_comparison(std::ostream& out, Runs const& runs, Comparison const& comparison, ComparisonLayout const& layout,
                      bool with_caution) {
  print_fact(out, "Before", name_group(runs, comparison.before));
  print_fact(out, "After", name_group(runs, comparison.after));
  print_notices(out, comparison.notices);
  if (with_caution) print_fact(out, "Note", comparison.caution);
  print_fact(out, "Wall time", format_times(comparison.wall));
  print_fact(out, "MPI time", format_times(comparison.mpi) + ", mean over ranks");
  print_fact(out, "Outside", format_times(comparison.outside) + ", mean over ranks");
  out << '\n';
  print_efficiencies(out, comparison.efficiencies);
  if (comparison.communicators.empty()) {
    out << why_no_calls(runs);
    return;
  }
  print_changes(out, comparison, layout);
  print_remainder(out, table::first_of(comparison.communicators, layout.top).size(), comparison.communicators.size());
}

}  // namespace mpisee_through
