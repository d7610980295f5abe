#include "findings/processors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

std::uint64_t count_processors(Overview const& overview, std::set<ProcessorsIndex> const& sets) {
  std::vector<RankSet> processors;
  for (ProcessorsIndex const set : sets) processors.push_back(overview.processors[static_cast<std::size_t>(set)]);
  return RankSet::union_of(processors).value_or(RankSet()).size();
}

// The processors that the ranks got if other processes used the rest. While a rank waits for a processor, all
// processors are busy; if the ranks got fewer, others had them.
std::optional<double> got_beside_others(Overview const& overview, CrowdedProcessors const& one) {
  double cpu_s = 0, queued_s = 0, longest_s = 0;
  for (std::size_t rank = 0; rank < overview.host_of_rank.size(); ++rank) {
    if (overview.host_of_rank[rank] != one.host) continue;
    RankTimes const& times = overview.times_of_rank[rank];
    if (!times.cpu_s || !times.queued_s) return {};
    cpu_s += *times.cpu_s;
    queued_s = std::max(queued_s, *times.queued_s);
    longest_s = std::max(longest_s, times.wall_s);
  }
  bool const have_others = cpu_s < thresholds::got_alone * queued_s * static_cast<double>(one.processors);
  return have_others && longest_s > 0 ? std::optional(cpu_s / longest_s) : std::nullopt;
}

// The processors with the most ranks for each: all of a host, or a set that some ranks are bound to. A host is skipped
// if the processors of one of its ranks are unknown.
std::optional<CrowdedProcessors> find_most_crowded(Overview const& overview) {
  std::map<HostIndex, std::map<ProcessorsIndex, std::uint64_t>> hosts;
  for (std::size_t rank = 0; rank < overview.host_of_rank.size(); ++rank)
    ++hosts[overview.host_of_rank[rank]][overview.processors_of_rank[rank]];
  std::optional<CrowdedProcessors> most;
  auto const consider = [&](CrowdedProcessors const& one) {
    if (one.processors == 0 || one.ranks <= one.processors) return;
    if (!most || one.ranks * most->processors > most->ranks * one.processors) most = one;
  };
  for (auto const& [host, ranks_of_set] : hosts) {
    std::uint64_t ranks_of_host = 0;
    std::set<ProcessorsIndex> sets;
    for (auto const& [set, ranks] : ranks_of_set) {
      ranks_of_host += ranks;
      sets.insert(set);
    }
    if (sets.contains(ProcessorsIndex{0})) continue;
    consider({host, ranks_of_host, count_processors(overview, sets), true});
    if (sets.size() == 1) continue;
    for (auto const& [set, ranks] : ranks_of_set) consider({host, ranks, count_processors(overview, {set}), false});
  }
  if (most && most->are_all_of_host) most->got_beside_others = got_beside_others(overview, *most);
  return most;
}

// What takes processors from these ranks beside other processes: a limit of their cgroup, or the hypervisor.
struct Taker {
  std::string reason{};  // to follow others; empty if nothing is known to
  std::string advice{};  // empty if it takes less than half of what they lack
};
Taker taker(Overview const& overview, std::vector<std::uint32_t> const& ranks) {
  double throttled_s = 0, stolen_s = 0, queued_s = 0, wall_s = 0;
  for (std::uint32_t const rank : ranks) {
    RankTimes const& times = overview.times_of_rank[rank];
    throttled_s = std::max(throttled_s, times.throttled_s.value_or(0));
    stolen_s = std::max(stolen_s, times.stolen_s.value_or(0));
    wall_s = std::max(wall_s, times.wall_s);
    queued_s += std::max(times.queued_s.value_or(0), times.queued_outside_s.value_or(0));
  }
  if (throttled_s > thresholds::least_saving * wall_s)
    return {
        fmt::format("; a limit of their cgroup (cpu.max) stops processes for {} in all", format_seconds(throttled_s)),
        2 * throttled_s < queued_s
            ? ""
            : "raise the limit of processor time (cpu.max, limits.cpu in Kubernetes), or start fewer ranks in it."};
  if (stolen_s > thresholds::least_saving * wall_s)
    return {
        fmt::format("; the hypervisor takes {} of their processors' time", format_share(share_of(stolen_s, wall_s))),
        2 * stolen_s * static_cast<double>(ranks.size()) < queued_s
            ? ""
            : "ask for processors that other virtual machines do not share."};
  return {};
}

std::string describe_reason(Summary const& summary, std::optional<CrowdedProcessors> const& sharers) {
  if (!sharers) return "other processes or threads use the processors, too";
  std::string text = fmt::format("{} share {} of host {}", format_number_of(sharers->ranks, "rank"),
                                 format_number_of(sharers->processors, "processor"),
                                 summary.host_names[static_cast<std::size_t>(sharers->host)]);
  if (sharers->got_beside_others)
    text += fmt::format("; together they got {:.2f} of these, so others, or the system, use them, too",
                        *sharers->got_beside_others);
  return text;
}

std::string advice(std::optional<CrowdedProcessors> const& sharers) {
  if (!sharers) {
    return "look for what else runs on these hosts: other jobs, helper threads of the program, more threads than "
           "processors; compare with a run alone.";
  }
  if (!sharers->are_all_of_host) {
    return "bind each rank to processors of its own: mpirun --bind-to core, srun --cpu-bind=cores.";
  }
  if (sharers->got_beside_others) {
    return fmt::format(
        "look for other jobs; then take more hosts, or start at most {} there, each of which has more "
        "work then.",
        format_number_of(sharers->processors, "rank"));
  }
  return fmt::format(
      "give each rank a processor (their binding, --cpus-per-task, more hosts), or start at most {} there: each has "
      "more work then, but does not wait for a processor.",
      format_number_of(sharers->processors, "rank"));
}

}  // namespace

ProcessorWaits::ProcessorWaits(Overview const& overview)
    : overview_(overview), most_crowded_(find_most_crowded(overview)) {}

double ProcessorWaits::of(std::uint32_t rank) const {
  RankTimes const& times = overview_.times_of_rank[rank];
  if (times.wall_s <= 0) return 0;
  // What the hypervisor takes is not in the queue: for the system, the process runs meanwhile.
  double const stolen_s = times.stolen_s.value_or(0);
  double const more_s = stolen_s > thresholds::least_saving * times.wall_s ? stolen_s : 0;
  if (auto const inside_s = inside_calls_s(rank))
    return std::min((*times.queued_outside_s + *inside_s + more_s) / times.wall_s, 1.0);
  if (times.queued_share()) return std::min(*times.queued_share(), 1.0);
  bool const is_crowded = most_crowded_ && most_crowded_->host == overview_.host_of_rank[rank];
  return is_crowded && times.cpu_s ? std::max(1 - *times.cpu_s / times.wall_s, 0.0) : 0;
}

double ProcessorWaits::moving_s(std::uint32_t rank) const {
  RankTimes const& times = overview_.times_of_rank[rank];
  return std::max(times.mpi_of_thread_s() - times.waiting_of_thread_s().value_or(0), 0.0);
}

std::optional<double> ProcessorWaits::inside_calls_s(std::uint32_t rank) const {
  RankTimes const& times = overview_.times_of_rank[rank];
  return times.queued_outside_s && times.waiting_s ? std::optional(times.queued_inside_s.value_or(0)) : std::nullopt;
}

double ProcessorWaits::of_calls() const {
  double queued_s = 0, all_s = 0;
  for (std::uint32_t rank = 0; rank < overview_.times_of_rank.size(); ++rank) {
    auto const inside_s = inside_calls_s(rank);
    if (!inside_s) continue;
    queued_s += *inside_s;
    all_s += moving_s(rank);
  }
  return share_of(queued_s, all_s).value_or(0);
}

double ProcessorWaits::of_busiest(std::span<RankSummary const> ranks) const {
  double const least_s = thresholds::compute_most * overview_.efficiency.useful_max_s();
  double sum = 0;
  std::size_t busy = 0;
  for (RankSummary const& one : ranks) {
    RankTimes const& times = overview_.times_of(one.rank);
    if (times.useful_s() < least_s) continue;
    ++busy;
    if (!times.account) sum += of(static_cast<std::uint32_t>(one.rank));
  }
  return share_of(sum, busy).value_or(0);
}

double ProcessorWaits::of_all() const {
  double queued_s = 0, wall_s = 0;
  for (std::uint32_t rank = 0; rank < overview_.times_of_rank.size(); ++rank) {
    double const its_s = overview_.times_of_rank[rank].wall_s;
    queued_s += of(rank) * its_s;
    wall_s += its_s;
  }
  return share_of(queued_s, wall_s).value_or(0);
}

namespace {

// What each rank lost, with its part in what those lost for whom it waited: the most that processors would save.
std::vector<double> most_lost(Evidence const& evidence, std::vector<double> const& lost) {
  constexpr int rounds = 64;
  constexpr double enough = 1e-4;
  std::vector<double> all = lost;
  if (!evidence.waits_for) return all;
  auto const& times = evidence.summary.times_of_rank;
  for (int i = 0; i < rounds; ++i) {
    std::vector<double> next = lost;
    for (PairWaiting const& one : evidence.waits_for()) {
      auto const rank = static_cast<std::size_t>(one.rank), other = static_cast<std::size_t>(one.for_rank);
      if (rank < all.size() && other < all.size() && times[rank].wall_s > 0)
        next[rank] += one.wait_s / times[rank].threads_wall_s() * all[other];
    }
    double change = 0;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      next[rank] = std::min(next[rank], 1.0);
      change = std::max(change, next[rank] - all[rank]);
    }
    all = std::move(next);
    if (change < enough) break;
  }
  return all;
}

// The time that a rank does not wait for others.
double busy_s(Summary const& summary, std::uint32_t rank) {
  RankTimes const& times = summary.times_of_rank[rank];
  auto const waiting_s = times.waiting_of_thread_s();
  return waiting_s ? times.wall_s - *waiting_s : times.outside_mpi_s();
}

}  // namespace

std::vector<Finding> find_busy_processors(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  ProcessorWaits const& waits = evidence.processors;
  std::vector<double> lost(summary.times_of_rank.size());
  double longest_s = 0;
  for (RankSummary const& one : summary.ranks) {
    auto const rank = static_cast<std::uint32_t>(one.rank);
    lost[rank] = waits.of(rank);
    longest_s = std::max(longest_s, busy_s(summary, rank));
  }
  if (longest_s <= 0 || std::ranges::max(lost) < thresholds::worth_trying) return {};
  std::vector<double> const most = most_lost(evidence, lost);
  // Those that wait least determine how long the run takes.
  std::vector<std::uint32_t> ranks;
  double least_share = 0, most_share = 0, inside_share = 0;
  for (RankSummary const& one : summary.ranks) {
    auto const rank = static_cast<std::uint32_t>(one.rank);
    if (busy_s(summary, rank) < thresholds::compute_most * longest_s) continue;
    ranks.push_back(rank);
    least_share += lost[rank];
    most_share += most[rank];
    inside_share += share_of(waits.inside_calls_s(rank).value_or(0), summary.times_of_rank[rank].wall_s).value_or(0);
  }
  auto const number = static_cast<double>(ranks.size());
  least_share /= number;
  most_share /= number;
  if (least_share < thresholds::worth_trying) return {};
  auto const [reason, try_this] = taker(summary, ranks);
  std::string who = ranks.size() == summary.ranks.size() ? "all ranks" : ranks_in_words(ranks);
  who.front() = static_cast<char>(who.front() & ~0x20);
  return {{.rule = {},
           .saving = least_share,
           .saving_most =
               most_share > least_share + thresholds::least_saving / 2 ? std::optional(most_share) : std::nullopt,
           .fact = fmt::format("{} {} ready to run but had no processor {} of {} time{}: {}.", who,
                               ranks.size() == 1 ? "was" : "were", format_share(least_share),
                               ranks.size() == 1 ? "its" : "their",
                               2 * inside_share > least_share * number ? ", most of it in MPI calls" : "",
                               describe_reason(summary, waits.most_crowded()) + reason),
           .options = "--ranks --top 10",
           .advice = try_this.empty() ? advice(waits.most_crowded()) : try_this,
           .late_ranks = ranks}};
}

}  // namespace mpisee_through
