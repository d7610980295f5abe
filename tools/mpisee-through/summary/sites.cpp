#include "summary/sites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "text/units.hpp"

namespace mpisee_through {

void for_each_site(Summary const& summary, SiteVisitor const& visit) {
  for (std::size_t i = 0; i < summary.communicators.size(); ++i) {
    auto const communicator = static_cast<CommunicatorIndex>(i);
    for (OperationSummary const& operation : summary.communicators[i].operations) {
      if (operation.site) visit(communicator, operation.operation, {*operation.site, operation.totals});
      for (SiteTotals const& one : operation.sites) visit(communicator, operation.operation, one);
    }
  }
}

std::vector<SiteLine> sum_up_sites(Summary const& summary, Arrangement const& arrangement) {
  std::map<std::pair<CallSiteIndex, OperationIndex>, std::size_t> places;
  std::vector<SiteLine> lines;
  std::vector<double> most_s;
  for_each_site(summary, [&](CommunicatorIndex communicator, OperationIndex operation, SiteTotals const& one) {
    auto const [place, is_new] = places.try_emplace({one.site, operation}, lines.size());
    if (is_new) {
      lines.push_back(
          {.site = one.site, .operation = operation, .totals = {}, .communicators = 0, .communicator = communicator});
      auto const spread = summary.site_spreads.find({one.site, operation});
      if (spread != summary.site_spreads.end()) lines.back().spread = spread->second;
      most_s.push_back(-1);
    }
    SiteLine& line = lines[place->second];
    line.totals += one.totals;
    ++line.communicators;
    if (one.totals.time_s > most_s[place->second]) {
      most_s[place->second] = one.totals.time_s;
      line.communicator = communicator;
    }
  });
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

SiteTotals const* main_site(Summary const& summary, OperationSummary const& operation) {
  if (operation.sites.empty()) return nullptr;
  auto const most =
      std::ranges::max_element(operation.sites, {}, [](SiteTotals const& one) { return one.totals.time_s; });
  return summary.site(most->site).empty() ? nullptr : &*most;
}

std::string called_at(Summary const& summary, OperationSummary const& operation) {
  constexpr double part_worth_naming = 0.25, all_of_it = 0.9995;
  SiteTotals const* const most = main_site(summary, operation);
  double const share = most == nullptr ? 0 : share_of(most->totals.time_s, operation.totals.time_s).value_or(0);
  if (share < part_worth_naming) return "";
  std::string const line = summary.site_names->line(summary.site(most->site));
  return share >= all_of_it ? " at " + line : fmt::format(" ({} of it at {})", format_share(share), line);
}

}  // namespace mpisee_through
