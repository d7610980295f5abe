// CSV and JSON: seconds and bytes, with all digits. Empty (null) where there is no value.
#include <fmt/format.h>
#include <fmt/ostream.h>

#include "comparison/comparison_forms.hpp"
#include "comparison/notices.hpp"
#include "files/json.hpp"
#include "text/csv_field.hpp"

namespace mpisee_through {
namespace {

void write_change(std::ostream& out, Change const& change) {
  for (Side const* side : {&change.before, &change.after}) {
    fmt::print(out, ",{},{},{},{},{},{},{}", side->runs, side->time_s.median, side->time_s.mean,
               side->time_s.lower_quartile, side->time_s.upper_quartile, side->calls, side->bytes);
  }
  fmt::print(out, ",{},{},{},{},rank_mean_s\n", change.seconds(), csv_field(change.relative()), csv_field(change.p),
             csv_field(change.p_adjusted));
}

// A row of the whole runs, on no communicator and of no call.
class RunRow {
 public:
  RunRow(std::ostream& out, std::string const& after, Comparison const& comparison, ComparisonLayout const& layout)
      : out_(out), start_(after + (layout.totals_only ? "," : ",,")), comparison_(comparison) {}

  void write(std::string_view quantity, Change const& change) const {
    write(quantity, change.before.time_s, change.after.time_s, change.relative(), change.p);
  }
  void write(EfficiencyChange const& change) const {
    write(change.quantity, change.before, change.after, std::nullopt, change.p);
  }

 private:
  void write(std::string_view quantity, Distribution const& before, Distribution const& after,
             std::optional<double> relative, std::optional<double> p) const {
    out_ << start_;
    write_side(comparison_.before, before);
    write_side(comparison_.after, after);
    fmt::print(out_, ",{},{},{},{},{}\n", after.median - before.median, csv_field(relative), csv_field(p), csv_field(p),
               quantity);
  }
  void write_side(RunGroup const& group, Distribution const& values) const {
    fmt::print(out_, ",{},{},{},{},{},,", group.size(), values.median, values.mean, values.lower_quartile,
               values.upper_quartile);
  }

  std::ostream& out_;
  std::string start_;
  Comparison const& comparison_;
};

void write_run_rows(RunRow const& row, Comparison const& comparison) {
  row.write("wall_s", comparison.wall);
  row.write("rank_mpi_mean_s", comparison.mpi);
  row.write("rank_outside_mpi_mean_s", comparison.outside);
  for (EfficiencyChange const& one : comparison.efficiencies) row.write(one);
}

Json side_object(Side const& side) {
  Distribution const& time_s = side.time_s;
  return {{"runs", side.runs},
          {"time_s", time_s.median},
          {"time_mean_s", time_s.mean},
          {"time_q1_s", time_s.lower_quartile},
          {"time_q3_s", time_s.upper_quartile},
          {"calls", side.calls},
          {"bytes", side.bytes}};
}

void add_change(Json& object, Change const& change) {
  object["before"] = side_object(change.before);
  object["after"] = side_object(change.after);
  object["change_s"] = change.seconds();
  object["change_relative"] = number_or_null(change.relative());
  object["p"] = number_or_null(change.p);
  object["p_adjusted"] = number_or_null(change.p_adjusted);
}

Json time_object(Change const& change) {
  Json object;
  add_change(object, change);
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

Json run_object(Overview const& head) {
  return {{"profile", head.profile},
          {"program", head.run.program},
          {"arguments", head.run.arguments},
          {"ranks", head.run.ranks},
          {"selected_ranks", head.selected_ranks},
          {"wall_s", head.run.wall_s},
          {"rank_mpi_s", head.mpi_s},
          {"unfinished", head.run.unfinished.has_value()}};
}

// The caution is one of them here.
Json notes(Comparison const& comparison) {
  Json all = comparison.notices;
  if (!comparison.caution.empty()) all.push_back(comparison.caution);
  return all;
}

Json run_objects(Runs const& runs, RunGroup const& group) {
  Json objects = Json::array();
  for (std::size_t const run : group) objects.push_back(run_object(runs.heads[run]));
  return objects;
}

Json comparison_object(Runs const& runs, Comparison const& comparison, ComparisonLayout const& layout) {
  Json communicators = Json::array();
  for (CommunicatorChange const& communicator : first_ones(comparison.communicators, layout)) {
    Json object{{"comm", communicator.name}};
    add_change(object, communicator.change);
    if (!layout.totals_only) object["operations"] = Json::array();
    for (OperationChange const& operation : communicator.operations) {
      if (layout.totals_only) break;
      Json inner{{"op", operation.operation}};
      add_change(inner, operation.change);
      object["operations"].push_back(std::move(inner));
    }
    communicators.push_back(std::move(object));
  }
  return {{"after", run_objects(runs, comparison.after)},
          {"notes", notes(comparison)},
          {"wall_s", time_object(comparison.wall)},
          {"rank_mpi_mean_s", time_object(comparison.mpi)},
          {"rank_outside_mpi_mean_s", time_object(comparison.outside)},
          {"efficiencies", efficiencies_object(comparison.efficiencies)},
          {"communicators", std::move(communicators)}};
}

Json correlation_object(std::optional<Correlation> const& correlation, std::optional<double> p_adjusted) {
  if (!correlation) return nullptr;
  return {{"coefficient", correlation->coefficient}, {"p", correlation->p}, {"p_adjusted", number_or_null(p_adjusted)}};
}

std::string correlation_fields(std::optional<Correlation> const& correlation, std::optional<double> p_adjusted) {
  if (!correlation) return ",,";
  return fmt::format("{},{},{}", correlation->coefficient, correlation->p, csv_field(p_adjusted));
}

}  // namespace

void write_comparison_csv(std::ostream& out, Runs const& runs, std::vector<Comparison> const& comparisons,
                          ComparisonLayout const& layout) {
  fmt::print(out, "after,comm{}", layout.totals_only ? "" : ",op");
  for (char const* side : {"before", "after"}) {
    fmt::print(out, ",{0}_runs,{0}_time_s,{0}_time_mean_s,{0}_time_q1_s,{0}_time_q3_s,{0}_calls,{0}_bytes", side);
  }
  out << ",change_s,change_relative,p,p_adjusted,quantity\n";
  for (Comparison const& comparison : comparisons) {
    std::string const after = csv_field(runs.heads[comparison.after.front()].profile);
    write_run_rows(RunRow(out, after, comparison, layout), comparison);
    for (CommunicatorChange const& communicator : first_ones(comparison.communicators, layout)) {
      std::string const name = csv_field(communicator.name);
      if (layout.totals_only) {
        fmt::print(out, "{},{}", after, name);
        write_change(out, communicator.change);
        continue;
      }
      for (OperationChange const& operation : communicator.operations) {
        fmt::print(out, "{},{},{}", after, name, csv_field(operation.operation));
        write_change(out, operation.change);
      }
    }
  }
}

void write_comparison_json(std::ostream& out, Runs const& runs, std::vector<Comparison> const& comparisons,
                           ComparisonLayout const& layout) {
  Json list = Json::array();
  for (Comparison const& one : comparisons) list.push_back(comparison_object(runs, one, layout));
  out << Json{{"before", run_objects(runs, comparisons.front().before)}, {"comparisons", std::move(list)}} << '\n';
}

void write_correlations_csv(std::ostream& out, std::vector<CorrelatedCommunicator> const& communicators,
                            ComparisonLayout const& layout) {
  out << "comm,comm_size,runs,time_mean_s,pearson,pearson_p,pearson_p_adjusted,spearman,spearman_p,spearman_p_adjusted,"
         "slope\n";
  for (CorrelatedCommunicator const& one : first_ones(communicators, layout)) {
    fmt::print(out, "{},{},{},{},{},{},{}\n", csv_field(one.name), one.size, one.runs, one.time_mean_s,
               correlation_fields(one.pearson, one.pearson_p_adjusted),
               correlation_fields(one.spearman, one.spearman_p_adjusted), csv_field(one.slope));
  }
}

void write_correlations_json(std::ostream& out, Runs const& runs,
                             std::vector<CorrelatedCommunicator> const& communicators, ComparisonLayout const& layout) {
  Json heads = Json::array();
  for (Overview const& head : runs.heads) heads.push_back(run_object(head));
  Json list = Json::array();
  for (CorrelatedCommunicator const& one : first_ones(communicators, layout)) {
    list.push_back({{"comm", one.name},
                    {"size", one.size},
                    {"runs", one.runs},
                    {"time_mean_s", one.time_mean_s},
                    {"pearson", correlation_object(one.pearson, one.pearson_p_adjusted)},
                    {"spearman", correlation_object(one.spearman, one.spearman_p_adjusted)},
                    {"slope", number_or_null(one.slope)}});
  }
  out << Json{{"runs", std::move(heads)}, {"notes", notices_of(runs)}, {"communicators", std::move(list)}} << '\n';
}

}  // namespace mpisee_through
