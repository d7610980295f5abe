// Finds barriers that precede or follow each collective operation on their communicator, or each call of one of these.
// The profile has no order of calls: as many barriers as other collective calls are taken for pairs.
#include <fmt/format.h>

#include <algorithm>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "summary/operation_kind.hpp"
#include "summary/sites.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// The other blocking collectives on a communicator.
struct Others {
  Cell const* most = nullptr;  // with most calls
  std::uint64_t calls = 0;
};

Others others_on(Summary const& summary, CommunicatorIndex index) {
  Others others;
  for (Cell const& operation : summary.operations_on(index)) {
    std::string const& name = summary.name_of(operation.operation);
    if (kind_of(name) != OperationKind::collective || only_begins(name) || is_barrier(name)) continue;
    others.calls += operation.totals.calls;
    if (others.most == nullptr || others.most->totals.calls < operation.totals.calls) others.most = &operation;
  }
  return others;
}

bool are_pairs(std::uint64_t barriers, std::uint64_t others) {
  return static_cast<double>(std::min(barriers, others)) >=
         thresholds::paired_barriers * static_cast<double>(std::max(barriers, others));
}

}  // namespace

std::vector<Finding> find_paired_barriers(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  std::vector<Finding> found;
  for (std::size_t i = 0; i < summary.communicators.size(); ++i) {
    CommunicatorSummary const& communicator = summary.communicators[i];
    auto const index = static_cast<CommunicatorIndex>(i);
    auto const operations = summary.operations_on(index);
    auto const barriers = std::ranges::find_if(operations, [&](Cell const& one) {
      std::string const& name = summary.name_of(one.operation);
      return is_barrier(name) && !only_begins(name);
    });
    if (barriers == operations.end()) continue;
    double const weight = share_of_wall(evidence, barriers->totals.time_s);
    std::uint64_t const ranks = std::max<std::uint64_t>(communicator.ranks, 1), calls = barriers->totals.calls;
    if (weight < thresholds::barriers_of_wall || calls < thresholds::paired_barriers_of_rank * ranks) continue;
    Others const others = others_on(summary, index);
    bool const are_with_all = are_pairs(calls, others.calls);
    if (others.most == nullptr || (!are_with_all && !are_pairs(calls, others.most->totals.calls))) continue;
    std::string const& most = summary.name_of(others.most->operation);
    std::string const in_words =
        are_with_all
            ? fmt::format("other collectives there {} times, mostly {}", format_count(others.calls / ranks), most)
            : fmt::format("{} there {} times", most, format_count(others.most->totals.calls / ranks));
    CommOperation const place{index, barriers->operation};
    // Without the barrier, the others would wait for the ranks that are late in the next call.
    auto const waiting = over_call_sites(evidence.waits.at(place.communicator, place.operation), WaitKind::collective);
    if (waiting && has_culprits(summary, *waiting)) continue;
    std::string const where = called_at(summary, *barriers);
    found.push_back(
        {.rule = {},
         .weight = weight,
         .fact = fmt::format(
             "Each rank calls Barrier on {}{} {} times, and {}: there is a barrier for each. Barrier takes {} of the "
             "MPI time.",
             communicator.name, where, format_count(calls / ranks), in_words,
             format_share(share_of(barriers->totals.time_s, summary.operations_s))),
         .options =
             fmt::format("{} {} --kind collective", operations_view(where), option_of_communicator(communicator)),
         .advice =
             "leave out barriers beside collectives: a collective needs none to be correct, and most wait for all "
             "ranks by themselves.",
         .places = {place}});
  }
  return found;
}

}  // namespace mpisee_through
