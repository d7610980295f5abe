#include <fmt/format.h>

#include <algorithm>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "summary/operation_kind.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

std::uint32_t number_of(WorldRank rank) { return static_cast<std::uint32_t>(rank); }

std::string advice(Summary const& summary, OperationWaiting const& waiting) {
  std::string_view const operation = summary.name_of(waiting.operation);
  if (is_mostly_one(summary, waiting)) {
    return fmt::format(
        "look at what rank {} does before the call: more work than the others, input and output, "
        "messages that it waits for, a slower host.",
        number_of(waiting.last->rank));
  }
  if (operation.starts_with("Barrier")) return "leave out barriers that the algorithm does not need.";
  std::string const reason = waiting.last
                                 ? "no rank is the last one most of the time, so work is uneven in turns or at "
                                   "random, or the system disturbs: "
                                 : "";
  if (kind_of(operation) != OperationKind::collective) return reason + "make the call less often.";
  std::string nonblocking = "I" + std::string(operation);
  nonblocking[1] = static_cast<char>(nonblocking[1] | 0x20);
  return fmt::format("{}make the call less often, or use {} with work before its completion.", reason, nonblocking);
}

std::vector<std::uint32_t> late_ranks(OperationWaiting const& waiting) {
  if (!waiting.last) return {};
  return {number_of(waiting.last->rank)};
}

}  // namespace

bool is_mostly_one(Summary const& summary, OperationWaiting const& waiting) {
  auto const ranks = static_cast<double>(std::max<std::uint64_t>(summary.communicator(waiting.communicator).size, 1));
  return waiting.last && waiting.last->share >= (1 + 1 / ranks) / 2;
}

bool is_worth_telling(Evidence const& evidence, OperationWaiting const& waiting) {
  double const certain_s = waiting.wait_s - thresholds::waiting_errors * waiting.error_s.value_or(0);
  return waiting.time_s > 0 && certain_s >= thresholds::waiting_of_time * waiting.time_s &&
         share_of_wall(evidence, certain_s) >= thresholds::waiting_of_wall && waiting.has_enough_samples();
}

std::vector<Finding> find_waiting(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  std::vector<Finding> found;
  for (OperationWaiting const& one : evidence.waits.operations) {
    if (one.is_upper_bound || !is_worth_telling(evidence, one)) continue;  // an upper bound proves no waiting
    std::string const& name = summary.name_of(one.operation);
    double const weight = share_of_wall(evidence, one.wait_s);
    found.push_back({.rule = {},
                     .weight = weight,
                     .fact = fmt::format("{}. The waiting takes {} of the wall time.", waiting_in_words(summary, one),
                                         format_share(weight)),
                     .options = fmt::format("--waits --by-rank {} {}",
                                            option_of_communicator(summary.communicator(one.communicator).name),
                                            option("--op", name)),
                     .advice = advice(summary, one),
                     .places = {{one.communicator, one.operation}},
                     .has_measured_waiting = true,
                     .late_ranks = late_ranks(one)});
  }
  return found;
}

}  // namespace mpisee_through
