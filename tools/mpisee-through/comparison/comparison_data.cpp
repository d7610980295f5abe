// Writes CSV and JSON. Units are seconds and bytes, with all digits. A missing value is empty or null.
#include <algorithm>
#include <iterator>

#include "comparison/changes_table.hpp"
#include "comparison/comparison_forms.hpp"
#include "comparison/notices.hpp"
#include "table/forms.hpp"

namespace mpisee_through {
namespace {

table::View<ChangeRow> view_for_json(char const* key, std::string ChangeRow::*name) {
  return view_of_changes({{key, "", table::Kind::name, [=](ChangeRow const& row) { return row.*name; }}}, false);
}

Json time_object(Change const& change) {
  auto const view = view_of_changes({}, false);
  std::vector<ChangeRow> const row{row_of(change, "", "")};
  Json object = json_object(table_of(view, row), 0);
  for (char const* side : {"before", "after"}) {
    for (char const* amount : {"runs", "calls", "bytes"}) object[side].erase(amount);
  }
  return object;
}

Json value_object(Distribution const& values) {
  return {
      {"value", values.median}, {"mean", values.mean}, {"q1", values.lower_quartile}, {"q3", values.upper_quartile}};
}

// Null if calls are selected.
Json efficiencies_object(std::vector<EfficiencyChange> const& efficiencies) {
  Json object;
  for (EfficiencyChange const& one : efficiencies)
    object[std::string(one.quantity)] = {{"before", value_object(one.before)},
                                         {"after", value_object(one.after)},
                                         {"change", one.difference()},
                                         {"p", number_or_null(one.p)}};
  return object;
}

// In JSON the caution is one of the notices.
Json notes(Comparison const& comparison) {
  Json all = comparison.notices;
  if (!comparison.caution.empty()) all.push_back(comparison.caution);
  return all;
}

Json run_objects(Runs const& runs, RunGroup const& group) {
  Json objects = Json::array();
  for (std::size_t const run : group) objects.push_back(run_object(runs, run));
  return objects;
}

Json algorithms_list(Comparison const& comparison, ComparisonLayout const& layout) {
  if (layout.totals_only) return Json::array();
  ChangeColumns names{{"comm", "", table::Kind::name, &ChangeRow::comm}, {"op", "", table::Kind::name, &ChangeRow::op}};
  std::ranges::move(columns_of_algorithms(), std::back_inserter(names));
  auto const view = view_of_changes(std::move(names), false);
  return json_list(table_of(view, rows_of_algorithms(comparison, "")));
}

Json comparison_object(Runs const& runs, Comparison const& comparison, ComparisonLayout const& layout) {
  auto const view = view_for_json("comm", &ChangeRow::comm), view_of_operations = view_for_json("op", &ChangeRow::op);
  auto const communicators = table::first_of(comparison.communicators, layout.top);
  std::vector<ChangeRow> rows;
  for (CommunicatorChange const& one : communicators) rows.push_back(row_of(one.change, "", one.name));
  table::Table table = table_of(view, rows);
  table.members = [&](std::size_t line, Json& object) {
    if (layout.totals_only) return;
    std::vector<ChangeRow> operations;
    for (OperationChange const& one : communicators[line].operations)
      operations.push_back(row_of(one.change, "", "", one.operation));
    object["operations"] = json_list(table_of(view_of_operations, operations));
  };
  return {{"after", run_objects(runs, comparison.after)},
          {"notes", notes(comparison)},
          {"wall_s", time_object(comparison.wall)},
          {"rank_mpi_mean_s", time_object(comparison.mpi)},
          {"rank_outside_mpi_mean_s", time_object(comparison.outside)},
          {"efficiencies", efficiencies_object(comparison.efficiencies)},
          {"communicators", json_list(table)},
          {"algorithms", algorithms_list(comparison, layout)}};
}

}  // namespace

Json run_object(Runs const& runs, std::size_t run) {
  Overview const& head = runs.heads[run];
  std::vector<double> const& over_time = runs.mpi_over_time[run];
  return {{"profile", head.profile},
          {"program", head.run.program},
          {"arguments", head.run.arguments},
          {"ranks", head.run.ranks},
          {"selected_ranks", head.selected_ranks},
          {"wall_s", head.run.wall_s},
          {"rank_mpi_s", head.mpi_s},
          {"unfinished", head.run.unfinished.has_value()},
          {"mpi_over_time", over_time.empty() ? Json() : Json(over_time)}};
}

void write_comparison_csv(std::ostream& out, Runs const& runs, std::vector<Comparison> const& comparisons,
                          ComparisonLayout const& layout) {
  using table::Kind;
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
  ChangeColumns names{{"after", "", Kind::name, &ChangeRow::profile_after}, {"comm", "", Kind::name, &ChangeRow::comm}};
  if (!layout.totals_only) names.push_back({"op", "", Kind::name, &ChangeRow::op});
  auto view = view_of_changes(std::move(names), false);
  std::ranges::move(columns_of_algorithms(), std::back_inserter(view.columns));
  write_csv(out, table_of(view, rows));
}

void write_comparison_json(std::ostream& out, Runs const& runs, std::vector<Comparison> const& comparisons,
                           ComparisonLayout const& layout) {
  Json list = Json::array();
  for (Comparison const& one : comparisons) list.push_back(comparison_object(runs, one, layout));
  out << Json{{"before", run_objects(runs, comparisons.front().before)}, {"comparisons", std::move(list)}} << '\n';
}

}  // namespace mpisee_through
