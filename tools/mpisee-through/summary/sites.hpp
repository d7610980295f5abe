// The cost of each call site, summed over communicators.
#pragma once

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
  RankSpread spread{};             // over the ranks that made the call there, if it is known

  // The ranks of the communicator; with several communicators, the ranks that made the call there.
  std::uint64_t ranks = 0;

  [[nodiscard]] std::optional<double> imbalance() const {
    return imbalance_of(spread.max_s(), ranks == 0 ? 0 : totals.time_s / static_cast<double>(ranks));
  }
};

// Sums by call site. Needs a summary with cells by operation and site, and with those by communicator, too.
// SortKey::name sorts by site, SortKey::size like SortKey::time.
[[nodiscard]] std::vector<SiteLine> sum_up_sites(Summary const& summary, Arrangement const& arrangement);

// The sum at the site with most of the operation's time; null if that site is unknown. Needs cells by communicator,
// operation and site.
[[nodiscard]] Cell const* main_site(Summary const& summary, Cell const& operation);

// The main site of an operation, as words to follow its name: " at grid.c:29", or " (62.0 % of it at grid.c:29)" if
// there are others. Empty if no site has a quarter of the time, or the site is unknown. Needs what main_site() needs.
[[nodiscard]] std::string called_at(Summary const& summary, Cell const& operation);

}  // namespace mpisee_through
