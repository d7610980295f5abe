// The cost of each call site, summed over communicators.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "summary/arrangement.hpp"
#include "summary/summary.hpp"

namespace mpisee_through {

// One operation called at one site.
struct SiteLine {
  CallSiteIndex site;
  OperationIndex operation;
  Totals totals;
  std::size_t communicators;       // number of communicators that it was called on
  CommunicatorIndex communicator;  // the one with the most time
  RankSpread spread{};             // over the ranks that made the call there; only with Detail::has_spread_of_sites

  // The ranks of the communicator; with several communicators, the ranks that made the call there.
  std::uint64_t ranks = 0;

  [[nodiscard]] std::optional<double> imbalance() const {
    return imbalance_of(spread.max_s(), ranks == 0 ? 0 : totals.time_s / static_cast<double>(ranks));
  }
};

// Sums by call site. Needs a summary with Detail::has_spread_of_sites or has_parts. SortKey::name sorts by site,
// SortKey::size like SortKey::time.
[[nodiscard]] std::vector<SiteLine> sum_up_sites(Summary const& summary, Arrangement const& arrangement);

// The site with most of the operation's time; null if that site is unknown. Needs a summary with Detail::has_parts.
[[nodiscard]] SiteTotals const* main_site(Summary const& summary, OperationSummary const& operation);

// Calls visit for each communicator, operation and site. Needs the summary that sum_up_sites() needs.
using SiteVisitor = std::function<void(CommunicatorIndex, OperationIndex, SiteTotals const&)>;
void for_each_site(Summary const& summary, SiteVisitor const& visit);

// The main site of an operation, as words to follow its name: " at grid.c:29", or " (62.0 % of it at grid.c:29)" if
// there are others. Empty if no site has a quarter of the time, or the site is unknown. Needs a summary with
// Detail::has_parts.
[[nodiscard]] std::string called_at(Summary const& summary, OperationSummary const& operation);

}  // namespace mpisee_through
