#include "comparison/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "summary/arrangement.hpp"
#include "text/units.hpp"

namespace mpisee_through {

namespace {

Side side_of(std::vector<double> values) {
  Side side{describe(values)};
  side.runs = values.size();
  side.values = std::move(values);
  return side;
}

Side side_of(EffortOfRuns const& all, RunGroup const& group) {
  auto const values = [&](double Effort::*amount) {
    std::vector<double> of_runs;
    for (std::size_t const run : group) of_runs.push_back(all[run].value_or(Effort{}).*amount);
    return of_runs;
  };
  Side side = side_of(values(&Effort::time_s));
  side.runs =
      static_cast<std::size_t>(std::ranges::count_if(group, [&](std::size_t run) { return all[run].has_value(); }));
  side.calls = describe(values(&Effort::calls)).median;
  side.bytes = describe(values(&Effort::bytes)).median;
  return side;
}

void test(Change& change) {
  if (change.before.values.size() > 1 && change.after.values.size() > 1)
    change.p = change.p_adjusted = mann_whitney_p(change.before.values, change.after.values);
}

std::vector<Change> changes_of_whole(Runs const& runs, RunGroup const& before, RunGroup const& after) {
  std::vector<Change> changes;
  auto const add = [&](std::string_view quantity, std::string_view title, auto const& value) {
    auto values_before = values_in(runs, before, value), values_after = values_in(runs, after, value);
    if (!values_before || !values_after) return;
    changes.push_back({quantity, title, side_of(*std::move(values_before)), side_of(*std::move(values_after))});
    test(changes.back());
  };
  add("wall_s", "", [](Overview const& head) { return head.run.wall_s; });
  add("rank_mpi_mean_s", "", [](Overview const& head) {
    return head.selected_ranks == 0 ? 0 : head.mpi_s / static_cast<double>(head.selected_ranks);
  });
  add("rank_outside_mpi_mean_s", "", [](Overview const& head) { return head.efficiency.outside_mpi_mean_s(); });
  if (!runs.has_efficiencies) return changes;
  add("parallel_efficiency", "Parallel", [](Overview const& head) { return head.efficiency.parallel(); });
  add("load_balance", "  Load balance", [](Overview const& head) { return head.efficiency.load_balance(); });
  add("processor_efficiency", "  Processors", [](Overview const& head) { return head.efficiency.processors(); });
  add("communication_efficiency", "  Communication",
      [](Overview const& head) { return head.efficiency.communication(); });
  return changes;
}

// Adjusts the p values of a family of tests.
void adjust(std::vector<Change*> const& family, std::size_t before) {
  Lines times;
  for (Change const* one : family) {
    times.push_back(one->before.values);
    times.back().insert(times.back().end(), one->after.values.begin(), one->after.values.end());
  }
  std::vector<double> const p = permutation_p(times, before);
  for (std::size_t i = 0; i < p.size(); ++i) family[i]->p_adjusted = std::max(p[i], *family[i]->p);
}

void add_communicators(Runs const& runs, Comparison& result) {
  auto const change_of = [&](EffortOfRuns const& efforts, std::string const& name, std::string const& operation) {
    Change change{"rank_mean_s", "", side_of(efforts, result.before), side_of(efforts, result.after), name, operation};
    test(change);
    return change;
  };
  auto const is_there = [](Change const& one) { return one.before.runs + one.after.runs > 0; };
  for (auto const& [name, communicator] : runs.communicators) {
    CommunicatorChange added{change_of(communicator.all, name, ""), {}};
    if (!is_there(added.all)) continue;  // the calls occur only in runs of other groups
    for (auto const& [operation, efforts] : communicator.operations)
      if (Change change = change_of(efforts, name, operation); is_there(change))
        added.operations.push_back(std::move(change));
    result.communicators.push_back(std::move(added));
  }
  if (!result.is_tested()) return;
  std::vector<Change*> communicators, operations;
  for (CommunicatorChange& one : result.communicators) {
    communicators.push_back(&one.all);
    for (Change& operation : one.operations) operations.push_back(&operation);
  }
  adjust(communicators, result.before.size());
  adjust(operations, result.before.size());
}

double weight_of_relative(Change const& change) {
  return change.relative() ? std::abs(*change.relative()) : change.difference() > 0 ? INFINITY : 0;
}

using table::Kind;
using Correlated = CorrelatedCommunicator;
using Coefficient = std::optional<Correlation> Correlated::*;

Correlated correlate_one(Runs const& runs, std::string const& name, CommunicatorInRuns const& communicator) {
  std::vector<double> wall_s, time_s;
  for (std::size_t run = 0; run < runs.heads.size(); ++run) {
    if (!communicator.all[run]) continue;
    wall_s.push_back(runs.heads[run].run.wall_s);
    time_s.push_back(communicator.all[run]->time_s);
  }
  return {name,
          *std::ranges::max_element(communicator.sizes),
          time_s.size(),
          describe(time_s).mean,
          pearson(wall_s, time_s),
          spearman(wall_s, time_s),
          slope(wall_s, time_s)};
}

void adjust(std::vector<Correlated>& all, Coefficient correlation) {
  std::vector<std::optional<double>> p;
  for (auto const& one : all) p.push_back(one.*correlation ? std::optional((one.*correlation)->p) : std::nullopt);
  p = adjust_for_many_tests(p);
  for (std::size_t i = 0; i < all.size(); ++i)
    if (p[i]) (all[i].*correlation)->p_adjusted = *p[i];
}

std::vector<Correlated> correlate(Runs const& runs, CorrelationOrder const& order) {
  std::vector<Correlated> all;
  for (auto const& [name, communicator] : runs.communicators) all.push_back(correlate_one(runs, name, communicator));
  adjust(all, &Correlated::pearson);
  adjust(all, &Correlated::spearman);
  std::ranges::sort(all, [&](Correlated const& left, Correlated const& right) {
    double const left_weight = order.weight(left), right_weight = order.weight(right);
    return left_weight != right_weight ? left_weight > right_weight : name_less(left.name, right.name);
  });
  return all;
}

table::View<Correlated> view_of_correlations() {
  std::vector<table::Column<Correlated>> columns{{"comm", "Communicator", Kind::name, &Correlated::name},
                                                 {"comm_size", "Size", Kind::count, &Correlated::size},
                                                 {"runs", "Runs", Kind::count, &Correlated::runs},
                                                 {"time_mean_s", "Mean time", Kind::seconds, &Correlated::time_mean_s}};
  auto const add = [&](std::string const& name, std::string const& title, Coefficient correlation) {
    table::add_columns<Correlated, Coefficient, Correlation>(
        columns, correlation,
        {{name, title, Kind::coefficient, &Correlation::coefficient},
         {name + "_p", "", Kind::probability, &Correlation::p},
         {name + "_p_adjusted", "p", Kind::probability, &Correlation::p_adjusted}});
  };
  add("pearson", "Pearson", &Correlated::pearson);
  add("spearman", "Spearman", &Correlated::spearman);
  columns.push_back({"slope", "Slope", Kind::ratio, &Correlated::slope});
  return {.name = "communicators", .columns = std::move(columns)};
}

double strength(std::optional<double> coefficient) { return coefficient ? std::abs(*coefficient) : -1; }
double strength(std::optional<Correlation> const& one) { return one ? std::abs(one->coefficient) : -1; }

}  // namespace

std::optional<double> Change::relative() const {
  return title.empty() ? share_of(difference(), before.median) : std::nullopt;
}

bool Change::is_significant() const { return !p_adjusted || *p_adjusted <= significance_level; }

std::array<ChangeOrder, 7> const change_orders{{
    {"change", [](Change const& one) { return std::abs(one.difference()); }},
    {"relative", weight_of_relative},
    {"time", [](Change const& one) { return std::max(one.before.median, one.after.median); }},
    {"calls", [](Change const& one) { return std::abs(*one.after.calls - *one.before.calls); }},
    {"volume", [](Change const& one) { return std::abs(*one.after.bytes - *one.before.bytes); }},
    {"p", [](Change const& one) { return -one.p_adjusted.value_or(1); }},
    {"name", [](Change const&) { return 0.0; }},
}};

Comparison compare(Runs const& runs, RunGroup const& before, RunGroup const& after, ChangeOrder const& order) {
  Comparison result{before, after, changes_of_whole(runs, before, after), {}};
  add_communicators(runs, result);
  auto const sort = [&](auto& items, std::string Change::*name, auto change_of) {
    std::ranges::stable_sort(items, [&](auto const& left_item, auto const& right_item) {
      Change const &left = change_of(left_item), &right = change_of(right_item);
      double const left_weight = order.weight(left), right_weight = order.weight(right);
      return left_weight != right_weight ? left_weight > right_weight : name_less(left.*name, right.*name);
    });
  };
  auto const all = [](CommunicatorChange const& one) -> Change const& { return one.all; };
  sort(result.communicators, &Change::communicator, all);
  for (CommunicatorChange& one : result.communicators) sort(one.operations, &Change::operation, std::identity());
  return result;
}

std::array<CorrelationOrder, 5> const correlation_orders{{
    {"pearson", [](Correlated const& one) { return strength(one.pearson); }},
    {"spearman", [](Correlated const& one) { return strength(one.spearman); }},
    {"slope", [](Correlated const& one) { return strength(one.slope); }},
    {"time", [](Correlated const& one) { return one.time_mean_s; }},
    {"name", [](Correlated const&) { return 0.0; }},
}};

Document correlations(Runs const& runs, CorrelationOrder const& order, std::optional<std::size_t> top) {
  std::vector<Correlated> const communicators = correlate(runs, order);
  RunGroup const all = all_of(runs);
  Distribution const wall = describe(*values_in(runs, all, [](Overview const& head) { return head.run.wall_s; }));
  Document document;
  document.head = {{"Runs", name_group(runs, all)},
                   {"Wall time", fmt::format("{} to {}, median {}", format_seconds(wall.min), format_seconds(wall.max),
                                             format_seconds(wall.median))}};
  for (std::string const& notice : defects_of(runs, all)) document.notes.emplace_back("Note", notice);
  auto const shown = table::first_of(communicators, top);
  document.tables = {table_of(view_of_correlations(), std::vector(shown.begin(), shown.end()))};
  document.tables.front().if_empty = why_no_calls(runs);
  document.tables.front().hidden = communicators.size() - shown.size();
  document.tables.front().noun = "communicator";
  return document;
}

}  // namespace mpisee_through
