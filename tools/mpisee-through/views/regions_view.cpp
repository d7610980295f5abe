#include "text/columns.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

std::vector<std::string> cells(RegionSummary const& region) {
  std::vector<std::string> cells{std::string(2 * region.depth, ' ') + std::string(region.name())};
  if (!region.selected) {
    cells.insert(cells.end(), 10, "-");
    return cells;
  }
  RegionTotals const& totals = region.totals;
  cells.push_back(format_count(totals.ranks));
  cells.push_back(format_count(totals.entered));
  cells.push_back(format_seconds(totals.wall_mean_s()));
  cells.push_back(format_seconds(totals.wall_max_s));
  cells.push_back(format_seconds(region.with_inner_s / static_cast<double>(totals.ranks)));
  cells.push_back(format_seconds(totals.mpi_s));
  cells.push_back(format_share(totals.mpi_share()));
  cells.push_back(format_share(totals.efficiency.parallel()));
  cells.push_back(format_share(totals.efficiency.load_balance()));
  cells.push_back(format_share(totals.efficiency.communication()));
  return cells;
}

}  // namespace

void print_regions(std::ostream& out, Regions const& regions) {
  using enum Columns::Align;
  if (regions.regions.empty()) {
    out << "No regions in this selection.\n";
    return;
  }
  Columns columns(0, {{"Region", left},
                      {"Ranks", right},
                      {"Entered", right},
                      {"Mean", right},
                      {"Max", right},
                      {"With inner", right},
                      {"MPI time", right},
                      {"In MPI", right},
                      {"Parallel", right},
                      {"= Balance", right},
                      {"x Comm.", right}});
  for (RegionSummary const& region : regions.regions) columns.fit(cells(region));
  columns.print_titles(out);
  for (RegionSummary const& region : regions.regions) columns.print(out, cells(region));
}

}  // namespace mpisee_through
