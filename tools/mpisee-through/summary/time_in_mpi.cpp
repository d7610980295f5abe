// Sums of waits over call sites, and over all of the time in MPI.
#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "summary/operation_kind.hpp"
#include "summary/waits.hpp"

namespace mpisee_through {

// Both kinds have the time of all calls there; an instant is of one kind at most.
std::vector<OperationWaiting> by_call_site(std::span<OperationWaiting const> messages) {
  std::vector<OperationWaiting> joined;
  auto const place_and_site = [](OperationWaiting const& one) {
    return std::tuple(one.communicator, one.operation, one.site);
  };
  for (OperationWaiting const& one : messages) {
    bool const is_of_last = !joined.empty() && one.site && place_and_site(joined.back()) == place_and_site(one);
    if (!is_of_last) {
      joined.push_back(one);
      continue;
    }
    OperationWaiting& sum = joined.back();
    double const time_s = std::max(sum.time_s, one.time_s);
    sum += one;
    sum.time_s = time_s;
    sum.unknown_s = std::max(sum.unknown_s, one.unknown_s);
    sum.samples = std::min(sum.samples, one.samples);
  }
  return joined;
}

std::optional<OperationWaiting> over_call_sites(std::span<OperationWaiting const> messages, WaitKind kind) {
  std::optional<OperationWaiting> sum;
  double most_s = -1;
  bool is_of_several = false;
  std::map<WorldRank, double> last_s, cause_s;
  auto const add = [](std::map<WorldRank, double>& of_rank, std::optional<Latecomer> const& one, double wait_s) {
    if (one) of_rank[one->rank] += one->share * wait_s;
  };
  for (OperationWaiting const& one : messages) {
    if (one.kind != kind) continue;
    add(last_s, one.last, one.wait_s);
    add(cause_s, one.cause, one.wait_s);
    if (!sum) {
      sum = one;
    } else {
      is_of_several = true;
      *sum += one;
      sum->calls += one.calls;
      sum->samples += one.samples;
      sum->unknown_s += one.unknown_s;
      sum->ranks = std::max(sum->ranks, one.ranks);
    }
    if (one.wait_s > most_s) sum->site = one.site;
    most_s = std::max(most_s, one.wait_s);
  }
  if (is_of_several && sum->wait_s > 0) sum->site_share = most_s / sum->wait_s;
  auto const most = [&](std::map<WorldRank, double> const& of_rank) {
    auto const found = std::ranges::max_element(of_rank, {}, [](auto const& one) { return one.second; });
    return found == of_rank.end() || sum->wait_s <= 0
               ? std::nullopt
               : std::optional(Latecomer{found->first, found->second / sum->wait_s});
  };
  if (sum) {
    sum->last = most(last_s);
    sum->cause = most(cause_s);
  }
  return sum;
}

double TimeInMpi::waiting_s() const {
  return (in_collectives ? in_collectives->wait_s : 0) + (in_messages ? in_messages->wait_s : 0);
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
  split.in_collectives = waits.in_all();
  for (OperationWaiting const& one : waits.operations) {
    split.moving_s += one.move_s.value_or(0);
    split.delays_s += one.rest_s.value_or(0);
    unknown_of(one.operation) -= one.time_s;
  }
  for (OperationWaiting one : by_call_site(waits.messages)) {
    double const known = 1 - one.unknown_share().value_or(0);
    one.time_s *= known;
    one.wait_s = std::min(one.wait_s * known, one.time_s);
    if (one.error_s) *one.error_s *= known;
    split.moving_s += one.time_s - one.wait_s;
    unknown_of(one.operation) -= one.time_s;
    if (!split.in_messages) split.in_messages.emplace().kind = one.kind;
    *split.in_messages += one;
    split.in_messages->samples += one.samples;
  }
  for (double& time_s : split.unknown_of_operation) time_s = std::max(time_s, 0.0);
  return split;
}

TimeWithoutTransfer time_without_transfer(Summary const& summary, Waits const& waits) {
  constexpr double most_unknown = 0.1;  // of the time in MPI
  if (waits.measured_of_rank.empty() || summary.run.lacks_ranks() || summary.ranks.empty()) return {};
  double unknown_s = split_time(summary, waits).unknown_s();
  for (OperationWaiting const& one : waits.operations) unknown_s += one.is_upper_bound ? one.time_s : 0;
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
