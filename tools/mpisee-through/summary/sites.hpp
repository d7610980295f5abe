// What each place in the program that calls MPI costs, over communicators.
#pragma once

#include <functional>
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
  std::size_t communicators;       // that it was called on
  CommunicatorIndex communicator;  // the one of them with most time
};

// Of a summary made with Detail::call_sites or Detail::operations_and_sizes. By name, in the order of sites; by size of
// the communicator, as by time.
[[nodiscard]] std::vector<SiteLine> sum_up_sites(Summary const& summary, Arrangement const& arrangement);

// The place with most of the operation's time; null if that is none that is known. As called_at().
[[nodiscard]] SiteTotals const* main_site(Summary const& summary, OperationSummary const& operation);

// Calls it for each communicator and operation with each site that it was called at. Of such a summary, too.
using SiteVisitor = std::function<void(CommunicatorIndex, OperationIndex, SiteTotals const&)>;
void for_each_site(Summary const& summary, SiteVisitor const& visit);

// Where an operation is called, to follow its name: " at grid.c:29", or " (62.0 % of it at grid.c:29)" where it is one
// place of several; empty where no place has a quarter of the time, or none is known. Of a summary made with
// Detail::operations_and_sizes.
[[nodiscard]] std::string called_at(Summary const& summary, OperationSummary const& operation);

}  // namespace mpisee_through
