#include "summary/sites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "text/units.hpp"

namespace mpisee_through {

std::vector<SiteLine> sum_up_sites(Summary const& summary, Arrangement const& arrangement) {
  auto const call_of = [](auto const& one) { return std::pair(one.operation, one.site); };
  std::vector<SiteLine> lines;
  for (Cell const& cell : summary.cells(by_op | by_site)) {
    lines.push_back(
        {cell.site, cell.operation, cell.totals, 0, {}, cell.spread != nullptr ? *cell.spread : RankSpread()});
  }
  std::vector<double> most_s(lines.size(), -1);
  for (Cell const& cell : summary.cells(by_comm | by_op | by_site)) {
    auto const line = std::ranges::lower_bound(lines, call_of(cell), {}, call_of);
    double& most = most_s[static_cast<std::size_t>(line - lines.begin())];
    ++line->communicators;
    if (cell.totals.time_s <= most) continue;
    most = cell.totals.time_s;
    line->communicator = cell.communicator;
  }
  for (SiteLine& line : lines) {
    std::uint64_t const members = line.communicators == 1 ? summary.communicator(line.communicator).ranks : 0;
    line.ranks = std::max(members, line.spread.ranks());
  }
  std::ranges::sort(lines, {}, [&](SiteLine const& line) {
    SortValues values = sort_values(line.totals);
    values.imbalance = line.imbalance();
    auto const [amount, time_s] = weight_of(values, arrangement.key);
    return std::tuple(-amount, -time_s, summary.site(line.site), summary.name_of(line.operation));
  });
  if (arrangement.top && *arrangement.top < lines.size())
    lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(*arrangement.top), lines.end());
  return lines;
}

Cell const* main_site(Summary const& summary, Cell const& operation) {
  auto const sites = summary.parts_of(operation, by_site);
  if (sites.empty()) return nullptr;
  auto const most = std::ranges::max_element(sites, {}, [](Cell const& one) { return one.totals.time_s; });
  return summary.site(most->site).empty() ? nullptr : &*most;
}

std::string called_at(Summary const& summary, Cell const& operation) {
  constexpr double part_worth_naming = 0.25, all_of_it = 0.9995;
  Cell const* const most = main_site(summary, operation);
  double const share = most == nullptr ? 0 : share_of(most->totals.time_s, operation.totals.time_s).value_or(0);
  if (share < part_worth_naming) return "";
  std::string const line = summary.site_names->line(summary.site(most->site));
  return share >= all_of_it ? " at " + line : fmt::format(" ({} of it at {})", format_share(share), line);
}

}  // namespace mpisee_through
