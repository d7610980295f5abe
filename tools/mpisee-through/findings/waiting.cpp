// Waiting for others: for members of a communicator to come, for late senders, for late receivers, for progress. What
// the same ranks cause is one finding, wherever others wait for them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "summary/operation_kind.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// The waiting in operations that the same ranks cause, most first; or if nobody causes most of it, in one operation.
struct Reason {
  std::vector<OperationWaiting> waits;
  std::vector<std::uint32_t> culprits{};  // empty if nobody is known to cause it
  double caused_s = 0;                    // what they cause in all, or else the waiting in the operation
  bool is_of_all = false;                 // they cause most of all waiting; who causes this is not said by itself
  double error_s = 0;                     // standard error
  std::string longer{};                   // how much longer than others they compute; empty if they do not
  std::string late_call{};                // before which they do more than others; empty if unknown

  [[nodiscard]] OperationWaiting const& most() const { return waits.front(); }
  [[nodiscard]] bool are_known() const { return !culprits.empty(); }
  [[nodiscard]] bool compute_longer() const { return !longer.empty(); }
  [[nodiscard]] std::string who() const { return ranks_in_words(culprits); }
  // "does" of one culprit, "do" of several.
  [[nodiscard]] std::string_view verb(std::string_view of_one, std::string_view of_several) const {
    return culprits.size() == 1 ? of_one : of_several;
  }
  [[nodiscard]] std::string before() const { return "before " + (late_call.empty() ? "the call" : late_call); }
};

// What culprits cause in all, and the call before which they do most of it.
void add_causes(Evidence const& evidence, Reason& reason) {
  if (!evidence.causes || !reason.are_known()) return;
  std::map<Cause::Call, double> caused_s;
  double all_s = 0;
  for (Cause const& one : evidence.causes()) {
    if (!std::ranges::binary_search(reason.culprits, static_cast<std::uint32_t>(one.rank))) continue;
    all_s += one.caused_s;
    if (one.call) caused_s[*one.call] += one.caused_s;
  }
  reason.caused_s = std::max(reason.caused_s, all_s);
  if (caused_s.empty()) return;
  Summary const& summary = evidence.members == nullptr ? evidence.summary : *evidence.members;
  auto const& [communicator, operation, site] =
      std::ranges::max_element(caused_s, {}, [](auto const& one) { return one.second; })->first;
  std::string const& name = summary.name_of(operation);
  reason.late_call = site ? fmt::format("{} at {}", name, summary.site_names->line(summary.site(*site)))
                          : fmt::format("{} on {}", name, summary.communicator(communicator).name);
}

// All waiting of this kind of which something is known, most first, over the call sites of each operation.
std::vector<OperationWaiting> all_waiting(Waits const& waits, WaitKind kind) {
  std::vector<OperationWaiting> all;
  std::optional<CommOperation> before;
  for (OperationWaiting const& one : waits.operations) {
    CommOperation const place{one.communicator, one.operation};
    if (one.kind != kind || before == place) continue;
    before = place;
    auto const waiting = over_call_sites(waits.at(place.communicator, place.operation), kind);
    if (waiting && waiting->wait_s > 0 && waiting->has_enough_instants()) all.push_back(*waiting);
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &OperationWaiting::wait_s);
  return all;
}

// The few ranks that cause most of all waiting, and their share of it; without ranks if there are none, or it is not
// known.
OperationWaiting::Culprits culprits_of_all(Evidence const& evidence, double waiting_s) {
  OperationWaiting all;
  if (!evidence.causes || waiting_s <= 0) return {};
  std::map<WorldRank, double> caused_s;
  for (Cause const& one : evidence.causes()) caused_s[one.rank] += one.caused_s;
  for (auto const& [rank, time_s] : caused_s) all.causes.push_back({rank, std::min(time_s / waiting_s, 1.0)});
  std::ranges::sort(all.causes, std::ranges::greater{}, &RankShare::share);
  auto few = all.culprits();
  bool const are_few = few.stand_out() && 2 * few.ranks.size() <= evidence.summary.times_of_rank.size();
  return are_few ? few : OperationWaiting::Culprits();
}

// Whether ranks that are late before this call are those that the calls wait for, not others that wait for these.
bool is_awaited_call(std::string_view late, std::string_view waiting, WaitKind kind) {
  if (kind == WaitKind::late_receiver) return late.find("ecv") != late.npos;
  if (kind == WaitKind::late_sender) return late.find("end") != late.npos;
  return late.substr(0, late.find(' ')) == waiting;
}

std::vector<Reason> find_reasons(Evidence const& evidence, WaitKind kind) {
  std::vector<Reason> reasons;
  std::map<std::vector<std::uint32_t>, std::size_t> of_culprits;  // the places of their reasons
  double waiting_s = 0;
  for (OperationWaiting const& one : evidence.waits.operations) waiting_s += one.wait_s;
  auto const of_all = culprits_of_all(evidence, waiting_s);
  for (OperationWaiting& one : all_waiting(evidence.waits, kind)) {
    auto few = few_culprits(evidence.summary, one);
    // Each row names the first rank alone. What others than these cause may all be here: they cause at least the rest.
    double const rest = 1 - (1 - of_all.share) * waiting_s / one.wait_s;
    bool const is_theirs = !few && rest >= caused_by_few && !one.causes.empty() &&
                           std::ranges::binary_search(of_all.ranks, static_cast<std::uint32_t>(one.causes[0].rank));
    if (is_theirs) {
      one.causes.clear();
      for (std::uint32_t const rank : of_all.ranks)
        one.causes.push_back({WorldRank{rank}, rest / static_cast<double>(of_all.ranks.size())});
      few = one.culprits();
    }
    std::size_t const place = few ? of_culprits.try_emplace(few->ranks, reasons.size()).first->second : reasons.size();
    if (place == reasons.size())
      reasons.push_back({.waits = {}, .culprits = few ? few->ranks : std::vector<std::uint32_t>()});
    Reason& reason = reasons[place];
    reason.waits.push_back(one);
    reason.caused_s += one.wait_s * (few ? few->share : 1);
    reason.is_of_all |= is_theirs;
    reason.error_s += one.error_s.value_or(0);
  }
  std::erase_if(reasons, [&](Reason const& one) {
    double const certain_s = one.caused_s - thresholds::waiting_errors * one.error_s;
    return share_of_wall(evidence, certain_s) < thresholds::worth_trying;
  });
  for (Reason& one : reasons) {
    double const here_s = one.caused_s;
    add_causes(evidence, one);
    if (one.is_of_all && !one.late_call.empty() &&
        !is_awaited_call(one.late_call, evidence.summary.name_of(one.most().operation), kind))
      one.caused_s = here_s;
    if (one.are_known()) one.longer = longer_in_words(evidence.summary, one.culprits);
  }
  return reasons;
}

// The time of the longest call if it has most of the waiting: a stop of the program, and not calls that wait each time.
std::optional<double> only_long_call_s(Summary const& summary, OperationWaiting const& most) {
  Cell const* const calls = summary.operation(most.communicator, most.operation);
  double const mean_s = most.wait_s / static_cast<double>(std::max<std::uint64_t>(most.ranks, 1));
  bool const is_long = calls != nullptr && most.calls > most.ranks && calls->longest_s >= mean_s / 2;
  return is_long ? std::optional<double>(calls->longest_s) : std::nullopt;
}

std::string fact(Summary const& summary, Reason const& reason) {
  std::vector<std::string> more;
  if (!reason.late_call.empty())
    more.push_back(fmt::format("{} longer {}", reason.verb("takes", "take"), reason.before()));
  if (reason.compute_longer()) more.push_back(reason.longer);
  std::string const words =
      more.empty() ? "" : fmt::format(": {} {}", reason.verb("it", "they"), fmt::join(more, ", and "));
  auto const longest_s = only_long_call_s(summary, reason.most());
  return fmt::format("{}{}{}.", waiting_in_words(summary, reason.most()), words,
                     longest_s ? "; one call took " + format_seconds(*longest_s) : "");
}

// The program may do something else meanwhile, but only it knows what.
constexpr std::string_view meanwhile = "let the receivers work between Irecv and Wait.";

// Whether those who wait for collective operations could do other work in place of it. Then all of this waiting can be
// saved, whoever comes late.
bool can_overlap(Summary const& summary, Reason const& reason) {
  bool const is_begun = kind_of(summary.name_of(reason.most().operation)) == OperationKind::completion;
  return reason.most().kind == WaitKind::collective && is_begun && !reason.compute_longer();
}
constexpr std::string_view overlap_collectives =
    "do more work between the begin of collective operations and their completion";

// Whether ranks wait for others that do not wait for them, as in a pipeline.
bool is_chain(Evidence const& evidence) {
  constexpr double little = 0.3;
  if (!evidence.waits_for) return false;
  std::map<std::pair<WorldRank, WorldRank>, double> waits;
  double all_s = 0, mutual_s = 0;
  for (PairWaiting const& one : evidence.waits_for())
    if (one.kind == WaitKind::late_sender) waits[{one.rank, one.for_rank}] += one.wait_s;
  for (auto const& [pair, wait_s] : waits) {
    auto const back = waits.find({pair.second, pair.first});
    all_s += wait_s;
    if (back != waits.end()) mutual_s += std::min(wait_s, back->second);
  }
  return mutual_s < little * all_s;
}

std::string advice_without_culprits(Evidence const& evidence, std::string const& operation,
                                    OperationWaiting const& most) {
  switch (most.kind) {
    case WaitKind::late_sender:
      if (found_nothing(operation))
        return "wait (Wait, Probe) where there is no other work, so that others have the processor; and send earlier.";
      if (most.is_mostly_pattern() && is_chain(evidence))
        return "send smaller blocks, so that the next ranks begin earlier: each waits until the one before it has done "
               "its first.";
      if (most.is_mostly_pattern())
        return "send what is ready before other work, or smaller blocks, so that ranks work at the same time and not "
               "in turn.";
      return fmt::format("send before other work, and {}", meanwhile);
    case WaitKind::late_receiver:
      return "post receives (Irecv) earlier, before other work; senders can use Isend, and work until Wait.";
    case WaitKind::no_progress:
      return "call MPI_Test now and then between the begin of requests and their completion, or turn on the progress "
             "thread of the MPI.";
    case WaitKind::collective:
    case WaitKind::pending:
      break;
  }
  if (is_barrier(operation)) return "leave out barriers that the algorithm does not need.";
  if (kind_of(operation) == OperationKind::completion) return fmt::format("{}.", overlap_collectives);
  return "spread the work of each step evenly; or call less often, so that what varies averages out.";
}

std::string advice(Evidence const& evidence, std::string const& operation, Reason const& reason) {
  OperationWaiting const& most = reason.most();
  if (!reason.are_known()) {
    if (most.last && !most.is_mostly_pattern() && most.culprits().ranks.empty())
      return fmt::format("look first for what rank {} does or waits for meanwhile.",
                         static_cast<std::uint32_t>(most.last->rank));
    return advice_without_culprits(evidence, operation, most);
  }
  std::string const who = reason.who();
  if (only_long_call_s(evidence.summary, most) && most.kind != WaitKind::no_progress)
    return fmt::format("look at what {} {} {} then: input and output, another process on the host.", who,
                       reason.verb("does", "do"), reason.before());
  switch (most.kind) {
    case WaitKind::late_receiver:
      if (reason.compute_longer()) return move_work(evidence.summary, reason.culprits) + ".";
      return fmt::format(
          "let {} post {} receives (Irecv) earlier, before other work; senders can use Isend, and work until Wait.",
          who, reason.verb("its", "their"));
    case WaitKind::no_progress:
      return fmt::format(
          "let {} call MPI_Test now and then between the begin of requests and their completion, or turn "
          "on the progress thread of the MPI.",
          who);
    case WaitKind::late_sender:
      return reason.compute_longer()
                 ? fmt::format("move work from {} to the others, let {} send before other work, and {}", who,
                               reason.verb("it", "them"), meanwhile)
                 : fmt::format("let {} send before other work or do less of it, and {}", who, meanwhile);
    case WaitKind::collective:
    case WaitKind::pending:
      break;
  }
  if (reason.compute_longer()) return move_work(evidence.summary, reason.culprits) + ".";
  std::string const first = can_overlap(evidence.summary, reason) ? fmt::format("{}; or ", overlap_collectives) : "";
  return fmt::format("{}look at what {} {} {}: input and output, other calls, a slower host.", first, who,
                     reason.verb("does", "do"), reason.before());
}

Finding finding_of(Evidence const& evidence, Reason const& reason) {
  Summary const& summary = evidence.summary;
  OperationWaiting const& most = reason.most();
  std::string const& name = summary.name_of(most.operation);
  double here_s = 0;
  for (OperationWaiting const& one : reason.waits) here_s += one.wait_s;
  Finding finding{
      .rule = {},
      .saving =
          share_of_wall(evidence, can_overlap(summary, reason) ? std::max(here_s, reason.caused_s) : reason.caused_s),
      .fact = fact(summary, reason),
      .options = fmt::format("--waits {} {}", option_of_communicator(summary.communicator(most.communicator)),
                             option("--op", name)),
      .advice = advice(evidence, name, reason),
      .late_ranks = reason.culprits};
  for (OperationWaiting const& one : reason.waits) finding.places.push_back({one.communicator, one.operation});
  if (!reason.are_known() && most.last && !most.is_mostly_pattern())
    finding.late_ranks = {static_cast<std::uint32_t>(most.last->rank)};
  if (reason.are_known() && reason.caused_s > 1.1 * here_s)
    finding.fact += fmt::format(" In all, {} {} waiting of {} of the ranks' time.", reason.verb("it", "they"),
                                reason.verb("causes", "cause"), format_share(share_of_wall(evidence, reason.caused_s)));
  if (reason.waits.size() > 1 && share_of_wall(evidence, reason.waits[1].wait_s) >= thresholds::least_saving)
    finding.fact += fmt::format(" So {} {}.", reason.verb("is", "are"), waiting_in_words(summary, reason.waits[1]));
  return finding;
}

}  // namespace

std::string_view others_in_words(Summary const& summary, std::size_t ranks) {
  return ranks + 1 == summary.times_of_rank.size() ? "the other" : "the others";
}

std::string longer_in_words(Summary const& summary, std::vector<std::uint32_t> const& ranks) {
  double their_s = 0, others_s = 0;
  for (RankTimes const& one : summary.times_of_rank) others_s += one.useful_s();
  for (std::uint32_t const rank : ranks) their_s += summary.times_of_rank[rank].useful_s();
  others_s -= their_s;
  auto const number = static_cast<double>(ranks.size()), all = static_cast<double>(summary.times_of_rank.size());
  double const longer = others_s > 0 ? their_s * (all - number) / (others_s * number) : 0;
  if (longer < thresholds::computes_longer) return {};
  return fmt::format("{} {:.1f} times as long as {}", ranks.size() == 1 ? "computes" : "compute", longer,
                     others_in_words(summary, ranks.size()));
}

std::string move_work(Summary const& summary, std::vector<std::uint32_t> const& ranks) {
  return fmt::format("move work from {} to {}; if all have equal work, {}", ranks_in_words(ranks),
                     others_in_words(summary, ranks.size()),
                     summary.hosts > 1 ? "compare hosts" : "look for what slows it down");
}

std::optional<OperationWaiting::Culprits> few_culprits(Summary const& summary, OperationWaiting const& waiting) {
  auto culprits = waiting.culprits();
  bool const are_few = !culprits.ranks.empty() && culprits.stand_out() &&
                       2 * culprits.ranks.size() <= summary.communicator(waiting.communicator).size;
  return are_few ? std::optional(std::move(culprits)) : std::nullopt;
}

std::vector<Finding> find_waiting(Evidence const& evidence, WaitKind kind) {
  std::vector<Finding> found;
  for (Reason const& one : find_reasons(evidence, kind)) found.push_back(finding_of(evidence, one));
  return found;
}

}  // namespace mpisee_through
