// Sums of waits over call sites, and over all of the time in MPI; their order, and their words.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "summary/operation_kind.hpp"
#include "summary/waits.hpp"
#include "text/units.hpp"

namespace mpisee_through {

namespace {

using WaitOfRanks = std::map<WorldRank, double>;

// Their shares in a sum, most first.
std::vector<RankShare> shares_of(WaitOfRanks const& of_rank, double wait_s) {
  std::vector<RankShare> shares;
  if (wait_s > 0)
    for (auto const& [rank, its_s] : of_rank) shares.push_back({rank, its_s / wait_s});
  std::ranges::stable_sort(shares, std::ranges::greater{}, &RankShare::share);
  return shares;
}

// The operations, all kinds of waiting at a call site together. Each kind has the time of all calls there; an instant
// is of one kind at most.
std::vector<OperationWaiting> by_call_site(std::span<OperationWaiting const> operations) {
  std::vector<OperationWaiting> joined;
  auto const place = [](OperationWaiting const& one) { return std::tuple(one.communicator, one.operation, one.site); };
  for (OperationWaiting const& one : operations) {
    if (joined.empty() || place(joined.back()) != place(one)) {
      joined.push_back(one);
      continue;
    }
    OperationWaiting& sum = joined.back();
    double const time_s = std::max(sum.time_s, one.time_s);
    sum += one;
    sum.time_s = time_s;
    sum.unknown_s = std::max(sum.unknown_s, one.unknown_s);
    sum.instants = std::min(sum.instants, one.instants);
  }
  return joined;
}

}  // namespace

OperationWaiting& OperationWaiting::add_calls(OperationWaiting const& other) {
  *this += other;
  ranks = std::max(ranks, other.ranks);
  calls += other.calls;
  instants = instants && other.instants ? std::optional(*instants + *other.instants) : std::nullopt;
  unknown_s += other.unknown_s;
  last.reset();
  causes.clear();
  pattern_share.reset();
  return *this;
}

std::optional<OperationWaiting> sum_of_waiting(std::span<OperationWaiting const> operations) {
  std::optional<OperationWaiting> sum;
  for (OperationWaiting const& one : by_call_site(operations)) {
    if (sum) sum->add_calls(one);
    else sum = one;
  }
  return sum;
}

std::optional<OperationWaiting> over_call_sites(std::span<OperationWaiting const> operations, WaitKind kind) {
  std::optional<OperationWaiting> sum;
  OperationWaiting const* most = nullptr;
  WaitOfRanks last, causes;
  std::optional<double> pattern_s;
  for (OperationWaiting const& one : operations) {
    if (one.kind != kind) continue;
    if (one.last) last[one.last->rank] += one.last->share * one.wait_s;
    for (RankShare const& cause : one.causes) causes[cause.rank] += cause.share * one.wait_s;
    if (one.pattern_share) pattern_s = pattern_s.value_or(0) + *one.pattern_share * one.wait_s;
    if (most == nullptr || one.wait_s > most->wait_s) most = &one;
    if (sum) sum->add_calls(one).site_share = 0;
    else sum = one;
  }
  if (!sum) return sum;
  sum->site = most->site;
  if (sum->site_share && sum->wait_s > 0) sum->site_share = most->wait_s / sum->wait_s;
  auto const awaited = shares_of(last, sum->wait_s);
  sum->last = awaited.empty() ? std::nullopt : std::optional(awaited.front());
  sum->causes = shares_of(causes, sum->wait_s);
  sum->pattern_share = pattern_s ? share_of(*pattern_s, sum->wait_s) : std::nullopt;
  return sum;
}

OperationWaiting::Culprits OperationWaiting::culprits() const {
  Culprits found;
  if (causes.empty() || is_mostly_pattern()) return found;
  if (!pattern_share && last && causes.front().share < last->share / 2) return found;
  for (RankShare const& one : causes) {
    if (one.share < causes.front().share / 2) break;
    found.ranks.push_back(static_cast<std::uint32_t>(one.rank));
    found.share += one.share;
  }
  std::ranges::sort(found.ranks);
  return found;
}

TimeInMpi split_time(Summary const& summary, Waits const& waits) {
  TimeInMpi split;
  split.unknown_of_operation.resize(summary.operation_names.size());
  auto const unknown_of = [&](OperationIndex index) -> double& {
    return split.unknown_of_operation[static_cast<std::size_t>(index)];
  };
  for (Cell const& one : summary.operations()) {
    double& part_s = only_begins(summary.name_of(one.operation)) ? split.moving_s : unknown_of(one.operation);
    part_s += one.totals.time_s;
  }
  for (OperationWaiting one : by_call_site(waits.operations)) {
    double const known = 1 - one.unknown_share().value_or(0);
    one.time_s *= known;
    one.wait_s = std::min(one.wait_s * known, one.time_s);
    if (one.error_s) *one.error_s *= known;
    split.moving_s += one.time_s - one.wait_s;
    unknown_of(one.operation) -= one.time_s;
    if (split.waiting) split.waiting->add_calls(one);
    else split.waiting = one;
  }
  for (double& time_s : split.unknown_of_operation) time_s = std::max(time_s, 0.0);
  return split;
}

TimeWithoutTransfer time_without_transfer(Summary const& summary, Waits const& waits) {
  constexpr double most_unknown = 0.1;  // of the time in MPI
  if (waits.measured_of_rank.empty() || summary.run.lacks_ranks() || summary.ranks.empty()) return {};
  double const unknown_s = split_time(summary, waits).unknown_s();
  TimeWithoutTransfer found{
      .time_s = {}, .error_s = {}, .unknown_share = share_of(unknown_s, summary.operations_s).value_or(0)};
  if (found.unknown_share > most_unknown) return found;
  double least_s = summary.efficiency.wall_max_s();
  for (RankSummary const& one : summary.ranks) {
    auto const rank = static_cast<std::size_t>(one.rank);
    RankTimes const& times = summary.times_of_rank[rank];
    double const its_s = times.useful_s() + waits.measured_of_rank[rank] / times.threads;
    if (its_s > least_s) continue;
    least_s = its_s;
    if (!summary.waiting_error_of_rank.empty()) found.error_s = summary.waiting_error_of_rank[rank] / times.threads;
  }
  found.time_s = std::max(least_s, summary.efficiency.useful_max_s());
  return found;
}

std::vector<OperationWaiting const*> in_order(Summary const& summary, std::span<OperationWaiting const> operations) {
  std::vector<OperationWaiting const*> order;
  for (OperationWaiting const& one : operations) order.push_back(&one);
  std::ranges::sort(order, [&](OperationWaiting const* left, OperationWaiting const* right) {
    if (left->wait_s != right->wait_s) return left->wait_s > right->wait_s;
    if (left->communicator != right->communicator)
      return name_less(summary.communicator(left->communicator).name, summary.communicator(right->communicator).name);
    if (left->operation != right->operation)
      return name_less(summary.name_of(left->operation), summary.name_of(right->operation));
    return left->order() < right->order();
  });
  return order;
}

std::string describe_share(OperationWaiting const& waiting) {
  if (!waiting.has_enough_instants() || !waiting.share()) return "-";
  if (waiting.wait_s > 0 || !waiting.instants) return format_share(*waiting.share(), waiting.share_error());
  // If none of n instants is in the waiting, its share is at most 3 / n with a probability of 95 %.
  return fmt::format("at most {:.1f} %", std::max(300 / static_cast<double>(*waiting.instants), 0.1));
}

std::string_view awaited_in_words(WaitKind kind) {
  constexpr std::array<std::string_view, commprof::wait_kind_names.size()> words{
      "all to come", "late senders", "late receivers", "others outside MPI", "requests"};
  return words[static_cast<std::size_t>(kind)];
}

namespace {

// Words to follow the operation, or of several call sites what is waited for. Of several call sites, names the one with
// most of the waiting.
std::string at_site(Summary const& summary, OperationWaiting const& waiting) {
  if (!waiting.site) return "";
  std::string const line = summary.site_names->line(summary.site(*waiting.site));
  return waiting.site_share ? fmt::format(", {} of it at {}", format_share(*waiting.site_share), line) : " at " + line;
}

std::string because_of(OperationWaiting const& waiting) {
  if (auto const culprits = waiting.culprits(); !culprits.ranks.empty())
    return fmt::format("; {} {} {} of it", ranks_in_words(culprits.ranks),
                       culprits.ranks.size() == 1 ? "causes" : "cause", format_share(culprits.share));
  if (waiting.is_mostly_pattern())
    return fmt::format(
        "; in {} of it no rank is late by itself: each is at times, or the order of calls makes them wait",
        format_share(waiting.pattern_share));
  if (!waiting.last) return "";
  return fmt::format("; {} of it is for rank {}, which may wait itself", format_share(waiting.last->share),
                     static_cast<std::uint32_t>(waiting.last->rank));
}

}  // namespace

std::string waiting_in_words(Summary const& summary, OperationWaiting const& waiting) {
  CommunicatorSummary const& communicator = summary.communicator(waiting.communicator);
  std::string const share = waiting.has_enough_instants() ? describe_share(waiting)
                                                          : fmt::format("{} of {}", format_seconds(waiting.wait_s),
                                                                        format_seconds(waiting.time_s));
  std::string const at = at_site(summary, waiting);
  std::string text =
      fmt::format("{} of {} on {} ({}){} is waiting for {}{}{}", share, summary.name_of(waiting.operation),
                  communicator.name, format_number_of(communicator.size, "rank"), waiting.site_share ? "" : at,
                  awaited_in_words(waiting.kind), waiting.site_share ? at : "", because_of(waiting));
  if (text.front() == 'a') text.front() = 'A';
  return text;
}

}  // namespace mpisee_through
