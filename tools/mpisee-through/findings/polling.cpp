#include <fmt/format.h>

#include <algorithm>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "summary/operation_kind.hpp"
#include "summary/sites.hpp"
#include "text/units.hpp"

namespace mpisee_through {

std::vector<Finding> find_polling(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  std::vector<Finding> found;
  for (std::size_t i = 0; i < summary.communicators.size(); ++i) {
    CommunicatorSummary const& communicator = summary.communicators[i];
    if (share_of_wall(evidence, communicator.totals.time_s) < thresholds::polling_of_wall) continue;
    auto const operations = summary.operations_on(static_cast<CommunicatorIndex>(i));
    for (Cell const& operation : operations) {
      std::string const& name = summary.name_of(operation.operation);
      if (!found_nothing(name)) continue;
      std::string const call = name.substr(0, name.rfind('-'));
      std::uint64_t successes = 0;
      for (Cell const& other : operations) {
        if (summary.name_of(other.operation) == call) successes = other.totals.calls;
      }
      std::uint64_t const empty = operation.totals.calls;
      double const for_each = static_cast<double>(empty) / static_cast<double>(std::max<std::uint64_t>(successes, 1));
      double const weight = share_of_wall(evidence, operation.totals.time_s);
      if (empty < thresholds::empty_polls_of_rank * std::max<std::uint64_t>(operation.spread->ranks(), 1)) continue;
      if (for_each < thresholds::empty_polls_for_each || weight < thresholds::polling_of_wall) continue;
      found.push_back(
          {.rule = {},
           .weight = weight,
           .fact =
               fmt::format("{} calls of {} on {}{} find nothing, {} for each that does; they take {} of the MPI time.",
                           format_count(empty), call, communicator.name, called_at(summary, operation),
                           format_count(static_cast<std::uint64_t>(for_each)),
                           format_share(share_of(operation.totals.time_s, summary.operations_s))),
           .options = fmt::format("{} {} {}", operations_view(called_at(summary, operation)),
                                  option_of_communicator(communicator), option("--op", call + "*")),
           .advice = "wait (Wait, Probe) where there is no other work to do, and poll less often where there is.",
           .places = {{static_cast<CommunicatorIndex>(i), operation.operation}}});
    }
  }
  return found;
}

}  // namespace mpisee_through
