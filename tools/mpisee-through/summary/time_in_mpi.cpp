// Sums of waits over call sites, and over all of the time in MPI.
#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "summary/operation_kind.hpp"
#include "summary/waits.hpp"

namespace mpisee_through {

namespace {

// The shares of ranks in a sum, most first.
class RankShares {
 public:
  void add(RankShare const& one, double wait_s) { of_rank_[one.rank] += one.share * wait_s; }
  [[nodiscard]] std::vector<RankShare> of(double wait_s) const {
    std::vector<RankShare> shares;
    if (wait_s > 0)
      for (auto const& [rank, its_s] : of_rank_) shares.push_back({rank, its_s / wait_s});
    std::ranges::stable_sort(shares, std::ranges::greater{}, &RankShare::share);
    return shares;
  }

 private:
  std::map<WorldRank, double> of_rank_;
};

}  // namespace

OperationWaiting& OperationWaiting::add_calls(OperationWaiting const& other) {
  *this += other;
  ranks = std::max(ranks, other.ranks);
  calls += other.calls;
  instants = instants && other.instants ? std::optional(*instants + *other.instants) : std::nullopt;
  unknown_s += other.unknown_s;
  last.reset();
  causes.clear();
  return *this;
}

// Each kind has the time of all calls there; an instant is of one kind at most.
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
  RankShares last, causes;
  for (OperationWaiting const& one : operations) {
    if (one.kind != kind) continue;
    if (one.last) last.add(*one.last, one.wait_s);
    for (RankShare const& cause : one.causes) causes.add(cause, one.wait_s);
    if (most == nullptr || one.wait_s > most->wait_s) most = &one;
    if (sum) sum->add_calls(one).site_share = 0;
    else sum = one;
  }
  if (!sum) return sum;
  sum->site = most->site;
  if (sum->site_share && sum->wait_s > 0) sum->site_share = most->wait_s / sum->wait_s;
  auto const awaited = last.of(sum->wait_s);
  sum->last = awaited.empty() ? std::nullopt : std::optional(awaited.front());
  sum->causes = causes.of(sum->wait_s);
  return sum;
}

OperationWaiting::Culprits OperationWaiting::culprits() const {
  Culprits found;
  if (causes.empty() || (last && causes.front().share < last->share / 2)) return found;
  for (RankShare const& one : causes) {
    if (one.share < causes.front().share / 2) break;
    found.ranks.push_back(static_cast<std::uint32_t>(one.rank));
    found.share += one.share;
  }
  std::ranges::sort(found.ranks);
  return found;
}

double TimeInMpi::unknown_s() const { return std::reduce(unknown_of_operation.begin(), unknown_of_operation.end()); }

TimeInMpi split_time(Summary const& summary, Waits const& waits) {
  TimeInMpi split;
  split.unknown_of_operation.resize(summary.operation_names.size());
  auto const unknown_of = [&](OperationIndex index) -> double& {
    return split.unknown_of_operation[static_cast<std::size_t>(index)];
  };
  for (CommunicatorSummary const& communicator : summary.communicators) {
    for (OperationSummary const& one : communicator.operations) {
      double& part_s = only_begins(summary.name_of(one.operation)) ? split.moving_s : unknown_of(one.operation);
      part_s += one.totals.time_s;
    }
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

}  // namespace mpisee_through
