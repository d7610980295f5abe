#include <fmt/format.h>

#include "comparison/comparison_view.hpp"
#include "comparison/notices.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

using table::Kind;
using Correlated = CorrelatedCommunicator;

using ColumnsOfCorrelation = std::vector<table::Column<Correlated>>;

// name: pearson; title: Pearson.
void add_correlation(ColumnsOfCorrelation& columns, std::string const& name, std::string const& title,
                     std::optional<Correlation> Correlated::*correlation,
                     std::optional<double> Correlated::*p_adjusted) {
  auto const coefficient = [=](Correlated const& one) {
    return (one.*correlation) ? table::Value((one.*correlation)->coefficient) : table::Value();
  };
  auto const p = [=](Correlated const& one) {
    return (one.*correlation) ? table::Value((one.*correlation)->p) : table::Value();
  };
  auto const adjusted = [=](Correlated const& one) {
    return (one.*correlation) ? table::Value(one.*p_adjusted) : table::Value();
  };
  columns.push_back({name, title, Kind::coefficient, coefficient});
  columns.push_back({name + "_p", "", Kind::probability, p});
  columns.push_back({name + "_p_adjusted", "p", Kind::probability, adjusted});
}

table::View<Correlated> view_of_correlations() {
  ColumnsOfCorrelation columns{{"comm", "Communicator", Kind::name, &Correlated::name},
                               {"comm_size", "Size", Kind::count, &Correlated::size},
                               {"runs", "Runs", Kind::count, &Correlated::runs},
                               {"time_mean_s", "Mean time", Kind::seconds, &Correlated::time_mean_s}};
  add_correlation(columns, "pearson", "Pearson", &Correlated::pearson, &Correlated::pearson_p_adjusted);
  add_correlation(columns, "spearman", "Spearman", &Correlated::spearman, &Correlated::spearman_p_adjusted);
  columns.push_back({"slope", "Slope", Kind::ratio, &Correlated::slope});
  return {.name = "communicators", .columns = std::move(columns)};
}

}  // namespace

Document correlations(Runs const& runs, std::vector<CorrelatedCommunicator> const& communicators,
                      ComparisonLayout const& layout) {
  RunGroup all(runs.heads.size());
  std::vector<double> wall_s;
  for (std::size_t run = 0; run < all.size(); ++run) {
    all[run] = run;
    wall_s.push_back(runs.heads[run].run.wall_s);
  }
  Distribution const wall = describe(wall_s);
  Document document;
  document.head = {{"Runs", name_group(runs, all)},
                   {"Wall time", fmt::format("{} to {}, median {}", format_seconds(wall.min), format_seconds(wall.max),
                                             format_seconds(wall.median))}};
  for (std::string const& notice : notices_of(runs)) document.notes.emplace_back("Note", notice);
  auto const shown = table::first_of(communicators, layout.top);
  document.tables = {table_of(view_of_correlations(), std::vector(shown.begin(), shown.end()))};
  document.tables.front().if_empty = why_no_calls(runs);
  document.tables.front().hidden = communicators.size() - shown.size();
  document.tables.front().noun = "communicator";
  return document;
}

}  // namespace mpisee_through
