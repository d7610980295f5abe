#include <fmt/format.h>

#include <algorithm>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "summary/operation_kind.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

std::uint32_t number_of(WorldRank rank) { return static_cast<std::uint32_t>(rank); }

// Whether the share of the rank that comes last is nearer to 1 than to 1 / ranks.
bool is_mostly_one(Summary const& summary, OperationWaiting const& waiting) {
  auto const ranks = static_cast<double>(std::max<std::uint64_t>(summary.communicator(waiting.communicator).size, 1));
  return waiting.last && waiting.last->share >= (1 + 1 / ranks) / 2;
}

// The ranks that are mostly the last ones, each in its communicator, and how many communicators have one.
struct LateRanks {
  std::vector<std::uint32_t> ranks{};
  std::size_t communicators = 0, of = 0;

  [[nodiscard]] bool are_known_of_most() const { return 2 * communicators > of; }
};

LateRanks late_ranks_of(Evidence const& evidence, OperationWaiting const& waiting) {
  LateRanks late;
  auto const add = [&](Summary const& summary, OperationWaiting const& one) {
    ++late.of;
    if (!is_mostly_one(summary, one)) return;
    ++late.communicators;
    late.ranks.push_back(number_of(one.last->rank));
  };
  if (evidence.families == nullptr) {
    add(evidence.summary, waiting);
    return late;
  }
  auto const members = evidence.families->waiting_of_members.find({waiting.communicator, waiting.operation});
  for (OperationWaiting const& one : members->second) add(*evidence.families->original, one);
  std::ranges::sort(late.ranks);
  late.ranks.erase(std::unique(late.ranks.begin(), late.ranks.end()), late.ranks.end());
  return late;
}

std::string advice(Summary const& summary, OperationWaiting const& waiting, LateRanks const& late) {
  std::string_view const operation = summary.name_of(waiting.operation);
  if (late.are_known_of_most()) {
    return fmt::format(
        "look at what {} {} before the call: more work than the others, input and output, "
        "messages that {} for, a slower host.",
        ranks_in_words(late.ranks), late.ranks.size() == 1 ? "does" : "do",
        late.ranks.size() == 1 ? "it waits" : "they wait");
  }
  if (is_barrier(operation)) return "leave out barriers that the algorithm does not need.";
  std::string const reason = waiting.last || late.of > 1
                                 ? "no rank is the last one most of the time, so work is uneven in turns or at "
                                   "random, or the system disturbs: "
                                 : "";
  if (kind_of(operation) != OperationKind::collective) return reason + "make the call less often.";
  std::string nonblocking = "I" + std::string(operation);
  nonblocking[1] = static_cast<char>(nonblocking[1] | 0x20);
  return fmt::format("{}make the call less often, or use {} with work before its completion.", reason, nonblocking);
}

double certain_s(OperationWaiting const& waiting) {
  return waiting.wait_s - thresholds::waiting_errors * waiting.error_s.value_or(0);
}

// Ranks that others wait for, mostly or not.
std::vector<std::uint32_t> awaited_ranks(OperationWaiting const& waiting, LateRanks const& late) {
  if (!waiting.last) return late.ranks;
  return {number_of(waiting.last->rank)};
}

}  // namespace

bool has_late_rank(Evidence const& evidence, OperationWaiting const& waiting) {
  return late_ranks_of(evidence, waiting).are_known_of_most();
}

std::string_view waits_view(Summary const& summary) {
  return summary.run.has_only_sums() ? "--waits" : "--waits --by-rank";
}

bool is_waiting(OperationWaiting const& waiting, double share) {
  return waiting.time_s > 0 && certain_s(waiting) >= share * waiting.time_s && waiting.has_enough_samples();
}

bool is_worth_telling(Evidence const& evidence, OperationWaiting const& waiting) {
  return is_waiting(waiting, thresholds::waiting_of_time) &&
         share_of_wall(evidence, certain_s(waiting)) >= thresholds::waiting_of_wall;
}

std::vector<Finding> find_waiting(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  std::vector<Finding> found;
  for (OperationWaiting const& one : evidence.waits.operations) {
    if (one.is_upper_bound || !is_worth_telling(evidence, one)) continue;  // an upper bound proves no waiting
    std::string const& name = summary.name_of(one.operation);
    double const weight = share_of_wall(evidence, one.wait_s);
    LateRanks const late = late_ranks_of(evidence, one);
    std::string const last = late.of > 1 && late.communicators > 0
                                 ? fmt::format("; in {} of them, a rank comes last most of the time: {}",
                                               late.communicators, ranks_in_words(late.ranks))
                                 : "";
    found.push_back(
        {.rule = {},
         .weight = weight,
         .fact = fmt::format("{}{}. The waiting takes {} of the wall time.", waiting_in_words(summary, one), last,
                             format_share(weight)),
         .options = fmt::format("{} {} {}", waits_view(summary),
                                option_of_communicator(summary.communicator(one.communicator)), option("--op", name)),
         .advice = advice(summary, one, late),
         .places = {{one.communicator, one.operation}},
         .has_measured_waiting = true,
         .late_ranks = awaited_ranks(one, late),
         .are_mostly_late = late.are_known_of_most()});
  }
  return found;
}

}  // namespace mpisee_through
