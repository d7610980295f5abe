#include "text/columns.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

std::vector<std::string> cells(RegionSummary const& region, RegionTimes times) {
  std::vector<std::string> cells{std::string(2 * region.depth, ' ') + std::string(region.name())};
  if (!region.selected) {
    cells.insert(cells.end(), 10, "-");
    return cells;
  }
  bool const is_inclusive = times == RegionTimes::inclusive;
  RegionTotals const& totals = region.totals(times);
  RegionTotals const& other = region.totals(is_inclusive ? RegionTimes::exclusive : RegionTimes::inclusive);
  cells.push_back(format_count(totals.ranks));
  cells.push_back(format_count(totals.entered));
  cells.push_back(format_seconds(totals.wall_mean_s()));
  cells.push_back(format_seconds(totals.wall_max_s));
  cells.push_back(format_seconds(other.wall_mean_s()));
  cells.push_back(format_seconds(totals.mpi_s));
  cells.push_back(format_share(totals.mpi_share()));
  cells.push_back(format_share(totals.efficiency.parallel()));
  cells.push_back(format_share(totals.efficiency.load_balance()));
  cells.push_back(format_share(totals.efficiency.communication()));
  return cells;
}

}  // namespace

void print_regions(std::ostream& out, Regions const& regions, RegionTimes times) {
  using namespace align;
  bool const is_inclusive = times == RegionTimes::inclusive;
  print_fact(out, "Regions",
             is_inclusive ? "inclusive: with the regions inside them; --exclusive shows them without"
                          : "exclusive: without the regions inside them");
  out << '\n';
  if (regions.regions.empty()) {
    out << "No regions in this selection.\n";
    return;
  }
  Columns columns(0, {{"Region", left},
                      {"Ranks", right},
                      {"Entered", right},
                      {"Mean", right},
                      {"Max", right},
                      {is_inclusive ? "Exclusive" : "Inclusive", right},
                      {"MPI time", right},
                      {"In MPI", right},
                      {"Parallel", right},
                      {"= Balance", right},
                      {"x Comm.", right}});
  for (RegionSummary const& region : regions.regions) columns.fit(cells(region, times));
  columns.print_titles(out);
  for (RegionSummary const& region : regions.regions) columns.print(out, cells(region, times));
  if (regions.left_out > 0)
    out << "\nNot shown, beyond --top: " << format_number_of(regions.left_out, "region") << ".\n";
}

}  // namespace mpisee_through
