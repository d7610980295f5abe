// Finds barriers that precede or follow each collective operation on their communicator. The profile has no order of
// calls: as many barriers as other collective calls are taken for pairs.
#include <fmt/format.h>

#include <algorithm>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "summary/operation_kind.hpp"
#include "summary/sites.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

constexpr std::string_view barrier = "Barrier";

// The other blocking collectives on a communicator.
struct Others {
  OperationSummary const* most = nullptr;  // with most calls
  std::uint64_t calls = 0;
};

Others others_on(Summary const& summary, CommunicatorSummary const& communicator) {
  Others others;
  for (OperationSummary const& operation : communicator.operations) {
    std::string const& name = summary.name_of(operation.operation);
    if (kind_of(name) != OperationKind::collective || only_begins(name) || name == barrier) continue;
    others.calls += operation.totals.calls;
    if (others.most == nullptr || others.most->totals.calls < operation.totals.calls) others.most = &operation;
  }
  return others;
}

}  // namespace

std::vector<Finding> find_paired_barriers(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  std::vector<Finding> found;
  for (std::size_t i = 0; i < summary.communicators.size(); ++i) {
    CommunicatorSummary const& communicator = summary.communicators[i];
    auto const barriers = std::ranges::find(communicator.operations, barrier, [&](OperationSummary const& one) {
      return std::string_view(summary.name_of(one.operation));
    });
    if (barriers == communicator.operations.end()) continue;
    double const weight = share_of_wall(evidence, barriers->totals.time_s);
    std::uint64_t const ranks = std::max<std::uint64_t>(communicator.ranks, 1), calls = barriers->totals.calls;
    if (weight < thresholds::barriers_of_wall || calls < thresholds::paired_barriers_of_rank * ranks) continue;
    Others const others = others_on(summary, communicator);
    auto const more = static_cast<double>(std::max(calls, others.calls));
    auto const fewer = static_cast<double>(std::min(calls, others.calls));
    if (fewer < thresholds::paired_barriers * more) continue;
    CommOperation const place{static_cast<CommunicatorIndex>(i), barriers->operation};
    // Without the barrier, the others would wait for a rank that is mostly the last one in the next call.
    auto const* const waiting = evidence.waits.find(place.communicator, place.operation);
    if (waiting != nullptr && is_mostly_one(summary, *waiting)) continue;
    std::string const where = called_at(summary, *barriers);
    found.push_back(
        {.rule = {},
         .weight = weight,
         .fact = fmt::format(
             "Each rank calls Barrier on {}{} {} times, and other collectives there {} times, mostly {}: "
             "there is a barrier for each. Barrier takes {} of the MPI time.",
             communicator.name, where, format_count(calls / ranks), format_count(others.calls / ranks),
             summary.name_of(others.most->operation), format_share(barriers->totals.time_s / summary.operations_s)),
         .options =
             fmt::format("{} {} --kind collective", operations_view(where), option_of_communicator(communicator.name)),
         .advice =
             "leave out barriers beside collectives: a collective needs none to be correct, and most wait for all "
             "ranks by themselves.",
         .places = {place}});
  }
  return found;
}

}  // namespace mpisee_through
