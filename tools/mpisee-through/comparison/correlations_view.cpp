#include <fmt/format.h>

#include "comparison/comparison_forms.hpp"
#include "comparison/notices.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

using table::Kind, table::only_csv, table::only_json;
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
  columns.push_back({name, title, Kind::coefficient, coefficient, only_csv});
  columns.push_back({name + ".coefficient", "", Kind::coefficient, coefficient, only_json});
  columns.push_back({name + ".p", "", Kind::probability, p});
  columns.push_back({name + ".p_adjusted", "p", Kind::probability, adjusted});
}

table::View<Correlated> view_of_correlations() {
  ColumnsOfCorrelation columns{{"comm", "Communicator", Kind::name, &Correlated::name},
                               {"comm_size", "Size", Kind::count, &Correlated::size, only_csv},
                               {"size", "", Kind::count, &Correlated::size, only_json},
                               {"runs", "Runs", Kind::count, &Correlated::runs},
                               {"time_mean_s", "Mean time", Kind::seconds, &Correlated::time_mean_s}};
  add_correlation(columns, "pearson", "Pearson", &Correlated::pearson, &Correlated::pearson_p_adjusted);
  add_correlation(columns, "spearman", "Spearman", &Correlated::spearman, &Correlated::spearman_p_adjusted);
  columns.push_back({"slope", "Slope", Kind::ratio, &Correlated::slope});
  return {.name = "communicators", .columns = std::move(columns)};
}

void print_head_of_runs(std::ostream& out, Runs const& runs) {
  RunGroup all(runs.heads.size());
  std::vector<double> wall_s;
  for (std::size_t run = 0; run < all.size(); ++run) {
    all[run] = run;
    wall_s.push_back(runs.heads[run].run.wall_s);
  }
  Distribution const wall = describe(wall_s);
  print_fact(out, "Runs", name_group(runs, all));
  for (std::string const& notice : notices_of(runs)) print_fact(out, "Note", notice);
  print_fact(out, "Wall time",
             fmt::format("{} to {}, median {}", format_seconds(wall.min), format_seconds(wall.max),
                         format_seconds(wall.median)));
  out << '\n';
}

}  // namespace

void show(std::ostream& out, Runs const& runs, std::vector<CorrelatedCommunicator> const& communicators, Format format,
          ComparisonLayout const& layout) {
  auto const view = view_of_correlations();
  auto const shown = table::first_of(communicators, layout.top);
  AroundTable around;
  around.members = [&] {
    Json heads = Json::array();
    for (std::size_t run = 0; run < runs.heads.size(); ++run) heads.push_back(run_object(runs, run));
    return Json{{"runs", std::move(heads)}, {"notes", notices_of(runs)}};
  };
  around.above = [&](std::ostream& text) { print_head_of_runs(text, runs); };
  around.if_empty = why_no_calls(runs);
  around.below = [&](std::ostream& text) { print_remainder(text, shown.size(), communicators.size()); };
  show(out, format, table_of(view, shown), around);
}

}  // namespace mpisee_through
