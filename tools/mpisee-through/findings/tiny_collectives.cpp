#include <fmt/format.h>

#include <algorithm>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "findings/unevenness.hpp"
#include "summary/operation_kind.hpp"
#include "summary/sites.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// The calls of an operation by their data. The root of a Bcast counts no bytes.
struct CallsByData {
  std::uint64_t without = 0, tiny = 0, all = 0;

  CallsByData(Summary const& summary, Cell const& operation) : all(operation.totals.calls) {
    for (Cell const& one : summary.parts_of(operation, by_size)) {
      if (one.size.max_bytes == 0) without += one.totals.calls;
      else if (one.size.max_bytes < thresholds::tiny_bytes) tiny += one.totals.calls;
    }
  }
  // The share of tiny calls among those that carry data; 0 if none does.
  [[nodiscard]] double tiny_share() const { return share_of(tiny, all - without).value_or(0); }
};

// Whether ranks wait for others: fewer calls would not shorten that. If it was not measured, the slowest and the
// fastest rank tell.
bool is_mostly_waiting(Cell const& operation, std::optional<OperationWaiting> const& waiting) {
  if (waiting) return waiting->share().value_or(0) >= thresholds::waiting_of_time;
  return differ_much(operation.spread->min_s(), operation.spread->max_s());
}

}  // namespace

std::vector<Finding> find_tiny_collectives(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  std::vector<Finding> found;
  for (std::size_t i = 0; i < summary.communicators.size(); ++i) {
    CommunicatorSummary const& communicator = summary.communicators[i];
    if (share_of_wall(evidence, communicator.totals.time_s) < thresholds::tiny_of_wall) continue;
    for (Cell const& operation : summary.operations_on(static_cast<CommunicatorIndex>(i))) {
      std::string const& name = summary.name_of(operation.operation);
      CommOperation const place{static_cast<CommunicatorIndex>(i), operation.operation};
      double const weight = share_of_wall(evidence, operation.totals.time_s);
      if (kind_of(name) != OperationKind::collective || weight < thresholds::tiny_of_wall) continue;
      CallsByData const calls(summary, operation);
      std::uint64_t const ranks = std::max<std::uint64_t>(communicator.ranks, 1);
      if (operation.totals.call_s().value_or(0) > thresholds::tiny_call_s) continue;
      if (calls.all < thresholds::tiny_messages_of_rank * ranks) continue;
      if (calls.tiny_share() < thresholds::tiny_of_messages) continue;
      if (is_mostly_waiting(operation, sum_of_waiting(evidence.waits.at(place.communicator, place.operation))))
        continue;
      std::string const where = called_at(summary, operation);
      found.push_back(
          {.rule = {},
           .weight = weight,
           .fact = fmt::format("Each rank calls {} on {}{} {} times, with less than {} B in {} of the calls; they take "
                               "{} of the MPI time, {} a call.",
                               name, communicator.name, where, format_count(calls.all / ranks), thresholds::tiny_bytes,
                               format_share(share_of(calls.tiny + calls.without, calls.all)),
                               format_share(share_of(operation.totals.time_s, summary.operations_s)),
                               format_seconds(operation.totals.call_s().value_or(0))),
           .options =
               fmt::format("--operations --by size {} {}", option_of_communicator(communicator), option("--op", name)),
           .advice = "put what several calls carry into one, or call less often: test for convergence every tenth "
                     "step, reduce several sums as one array.",
           .places = {place}});
    }
  }
  return found;
}

}  // namespace mpisee_through
