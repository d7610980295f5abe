// Waiting for others: for members of a communicator to come, for late senders, for late receivers, for progress.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "summary/operation_kind.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// What one kind of waiting in an operation is due to.
struct Reason {
  OperationWaiting const& waiting;
  OperationWaiting::Culprits culprits;
  double longer = 0;  // how many times as long as the others the culprits compute; 0 if they do not cause most of it
  std::string late_call{};  // before which the culprits do more than others: "Send at pipeline.c:20"; empty if unknown

  [[nodiscard]] bool are_known() const { return longer > 0; }
  [[nodiscard]] bool compute_longer() const { return longer >= thresholds::computes_longer; }
  [[nodiscard]] bool is_one() const { return culprits.ranks.size() == 1; }
  [[nodiscard]] std::string who() const { return ranks_in_words(culprits.ranks); }
  [[nodiscard]] std::string before() const { return "before " + (late_call.empty() ? "the call" : late_call); }
};

// How many times as long as the others these ranks are outside MPI, on average.
double longer_than_others(Summary const& summary, std::vector<std::uint32_t> const& ranks) {
  double their_s = 0, others_s = 0;
  for (RankTimes const& one : summary.times_of_rank) others_s += one.useful_s();
  for (std::uint32_t const rank : ranks) their_s += summary.times_of_rank[rank].useful_s();
  others_s -= their_s;
  auto const number = static_cast<double>(ranks.size()), all = static_cast<double>(summary.times_of_rank.size());
  return others_s > 0 ? their_s * (all - number) / (others_s * number) : 0;
}

// The call before which the culprits do more than others. Of several, one on the communicator of the waiting comes
// first, but only if it causes half of what they cause there: chains also lead to calls on other communicators.
std::string find_late_call(Evidence const& evidence, OperationWaiting const& waiting,
                           OperationWaiting::Culprits const& culprits) {
  if (!evidence.causes || culprits.ranks.empty()) return "";
  Summary const& summary = evidence.summary;
  std::map<Cause::Call, double> caused_s;
  for (Cause const& one : evidence.causes())
    if (one.call && std::ranges::binary_search(culprits.ranks, static_cast<std::uint32_t>(one.rank)))
      caused_s[*one.call] += one.caused_s;
  if (caused_s.empty()) return "";
  double const enough_s = culprits.share * waiting.wait_s / 2;
  auto const weight = [&](auto const& one) {
    bool const is_here = one.first.communicator == waiting.communicator;
    return std::tuple(one.second >= enough_s, is_here, one.second);
  };
  auto const& [communicator, operation, site] = std::ranges::max_element(caused_s, {}, weight)->first;
  std::string const& name = summary.name_of(operation);
  return site ? fmt::format("{} at {}", name, summary.site_names->line(summary.site(*site)))
              : fmt::format("{} on {}", name, summary.communicator(communicator).name);
}

Reason reason_for(Evidence const& evidence, OperationWaiting const& waiting) {
  Reason reason{waiting, waiting.culprits()};
  reason.late_call = find_late_call(evidence, waiting, reason.culprits);
  if (has_culprits(evidence.summary, waiting))
    reason.longer = longer_than_others(evidence.summary, reason.culprits.ranks);
  return reason;
}

std::string fact(Summary const& summary, Reason const& reason, double weight) {
  std::vector<std::string> more;
  if (!reason.late_call.empty()) more.push_back((reason.is_one() ? "does more " : "do more ") + reason.before());
  if (reason.compute_longer())
    more.push_back(
        fmt::format("{} {:.1f} times as long as the others", reason.is_one() ? "computes" : "compute", reason.longer));
  std::string const words =
      more.empty() ? "" : fmt::format(": {} {}", reason.is_one() ? "it" : "they", fmt::join(more, ", and "));
  return fmt::format("{}{}. The waiting takes {} of the wall time.", waiting_in_words(summary, reason.waiting), words,
                     format_share(weight));
}

std::string advice_for_all(std::string const& operation, Reason const& reason) {
  if (reason.compute_longer()) return fmt::format("move work from {} to the others.", reason.who());
  if (reason.are_known())
    return fmt::format("look at what {} {} {}: input and output, other calls, a slower host.", reason.who(),
                       reason.is_one() ? "does" : "do", reason.before());
  if (is_barrier(operation)) return "leave out barriers that the algorithm does not need.";
  if (kind_of(operation) == OperationKind::completion)
    return "do more work between the begin of collective operations and their completion.";
  if (kind_of(operation) != OperationKind::collective) return "make the call less often.";
  std::string nonblocking = "I" + operation;
  nonblocking[1] = static_cast<char>(nonblocking[1] | 0x20);
  return fmt::format("make the call less often, or use {} with work before its completion.", nonblocking);
}

std::string advice_for_senders(Reason const& reason) {
  constexpr std::string_view meanwhile = "let the receivers work between Irecv and Wait.";
  if (reason.waiting.is_mostly_pattern())
    return fmt::format(
        "give each rank a processor of its own, if others take it at times; else change the order of calls, so that "
        "ranks "
        "send before other work, or in smaller pieces; and {}",
        meanwhile);
  if (!reason.are_known()) return fmt::format("send before other work, and {}", meanwhile);
  return reason.compute_longer()
             ? fmt::format("move work from {} to the others, let {} send before other work, and {}", reason.who(),
                           reason.is_one() ? "it" : "them", meanwhile)
             : fmt::format("let {} send before other work or do less of it, and {}", reason.who(), meanwhile);
}

std::string advice_for_receivers(Reason const& reason) {
  std::string const who = reason.are_known() ? fmt::format("let {} post {} receives (Irecv)", reason.who(),
                                                           reason.is_one() ? "its" : "their")
                                             : "post receives (Irecv)";
  return who + " earlier, before other work; the senders can work between Isend and Wait.";
}

std::string advice_for_progress(Reason const& reason) {
  return fmt::format(
      "let {} call MPI_Test now and then between the begin of requests and their completion, or turn on the progress "
      "thread of the MPI.",
      reason.are_known() ? reason.who() : "the others");
}

std::string advice(std::string const& operation, Reason const& reason) {
  if (reason.culprits.ranks.empty() && reason.waiting.last && !reason.waiting.is_mostly_pattern())
    return fmt::format("look first for what rank {} does or waits for meanwhile.",
                       static_cast<std::uint32_t>(reason.waiting.last->rank));
  switch (reason.waiting.kind) {
    case WaitKind::late_sender:
      return advice_for_senders(reason);
    case WaitKind::late_receiver:
      return advice_for_receivers(reason);
    case WaitKind::no_progress:
      return advice_for_progress(reason);
    case WaitKind::collective:
    case WaitKind::pending:
      break;
  }
  return advice_for_all(operation, reason);
}

// The ranks that cause the waiting, or if nobody knows who does, the rank that is waited for most.
std::vector<std::uint32_t> late_ranks(Reason const& reason) {
  bool const is_known = !reason.culprits.ranks.empty() || reason.waiting.is_mostly_pattern();
  if (is_known || !reason.waiting.last) return reason.culprits.ranks;
  return {static_cast<std::uint32_t>(reason.waiting.last->rank)};
}

double certain_s(OperationWaiting const& waiting) {
  return waiting.wait_s - thresholds::waiting_errors * waiting.error_s.value_or(0);
}

bool is_worth_telling(Evidence const& evidence, OperationWaiting const& waiting) {
  return is_waiting(waiting, thresholds::waiting_of_time) &&
         share_of_wall(evidence, certain_s(waiting)) >= thresholds::waiting_of_wall;
}

}  // namespace

bool has_culprits(Summary const& summary, OperationWaiting const& waiting) {
  auto const culprits = waiting.culprits();
  return culprits.share >= thresholds::caused_by_few &&
         2 * culprits.ranks.size() <= summary.communicator(waiting.communicator).size;
}

bool is_waiting(OperationWaiting const& waiting, double share) {
  return waiting.time_s > 0 && certain_s(waiting) >= share * waiting.time_s && waiting.has_enough_instants();
}

std::vector<Finding> find_waiting(Evidence const& evidence, WaitKind kind) {
  Summary const& summary = evidence.summary;
  std::vector<Finding> found;
  std::optional<CommOperation> before;
  for (OperationWaiting const& one : evidence.waits.operations) {
    CommOperation const place{one.communicator, one.operation};
    if (before == place) continue;
    before = place;
    auto const waiting = over_call_sites(evidence.waits.at(place.communicator, place.operation), kind);
    if (!waiting || !is_worth_telling(evidence, *waiting)) continue;
    Reason const reason = reason_for(evidence, *waiting);
    std::string const& name = summary.name_of(place.operation);
    double const weight = share_of_wall(evidence, waiting->wait_s);
    found.push_back(
        {.rule = {},
         .weight = weight,
         .fact = fact(summary, reason, weight),
         .options = fmt::format("--waits {} {}", option_of_communicator(summary.communicator(place.communicator)),
                                option("--op", name)),
         .advice = advice(name, reason),
         .places = {place},
         .has_measured_waiting = true,
         .late_ranks = late_ranks(reason),
         .are_mostly_late = reason.are_known()});
  }
  return found;
}

}  // namespace mpisee_through
