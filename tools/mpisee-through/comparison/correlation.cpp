#include "comparison/correlation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "comparison/comparison_view.hpp"
#include "comparison/notices.hpp"
#include "summary/arrangement.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

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
