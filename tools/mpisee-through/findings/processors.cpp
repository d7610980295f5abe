#include "findings/processors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// Ranks that may run on the same processors of a host.
struct Sharers {
  HostIndex host{};
  std::uint64_t ranks = 0;
  std::uint64_t processors = 0;
  bool are_all_of_host = true;

  [[nodiscard]] bool is_crowded() const { return processors > 0 && ranks > processors; }
};

std::uint64_t count_processors(Summary const& summary, std::set<ProcessorsIndex> const& sets) {
  std::set<std::uint32_t> all;
  for (ProcessorsIndex const set : sets) {
    for (RankSet::Range const& range : summary.processors[static_cast<std::size_t>(set)].ranges()) {
      for (std::uint32_t one = range.first; one <= range.last; one += range.stride) all.insert(one);
    }
  }
  return all.size();
}

// Those with the most ranks for each processor: of a host as a whole, or of ranks there that are bound alike. Where one
// rank's processors are unknown, nothing is said of its host.
std::optional<Sharers> find_most_crowded(Summary const& summary) {
  std::map<HostIndex, std::map<ProcessorsIndex, std::uint64_t>> hosts;
  for (std::size_t rank = 0; rank < summary.host_of_rank.size(); ++rank)
    ++hosts[summary.host_of_rank[rank]][summary.processors_of_rank[rank]];
  std::optional<Sharers> most;
  auto const consider = [&](Sharers const& one) {
    if (!one.is_crowded()) return;
    if (!most || one.ranks * most->processors > most->ranks * one.processors) most = one;
  };
  for (auto const& [host, ranks_of_set] : hosts) {
    Sharers all{.host = host};
    std::set<ProcessorsIndex> sets;
    for (auto const& [set, ranks] : ranks_of_set) {
      all.ranks += ranks;
      sets.insert(set);
    }
    if (sets.contains(ProcessorsIndex{0})) continue;
    all.processors = count_processors(summary, sets);
    consider(all);
    if (sets.size() == 1) continue;
    for (auto const& [set, ranks] : ranks_of_set) consider({host, ranks, count_processors(summary, {set}), false});
  }
  return most;
}

std::string describe_reason(Summary const& summary, std::optional<Sharers> const& sharers) {
  if (!sharers) return "other processes or threads use the processors, too";
  return fmt::format("{} share {} of host {}", format_number_of(sharers->ranks, "rank"),
                     format_number_of(sharers->processors, "processor"),
                     summary.host_names[static_cast<std::size_t>(sharers->host)]);
}

std::string advice(std::optional<Sharers> const& sharers) {
  if (!sharers) {
    return "look for what else runs on these hosts: other jobs, helper threads of the program, more threads than "
           "processors; compare with a run alone.";
  }
  if (!sharers->are_all_of_host) {
    return "bind each rank to processors of its own: mpirun --bind-to core, srun --cpu-bind=cores.";
  }
  return fmt::format("start at most {} there, or take more hosts.", format_number_of(sharers->processors, "rank"));
}

}  // namespace

double queued_share(Summary const& summary, std::uint32_t rank) {
  RankTimes const& times = summary.times_of_rank[rank];
  if (times.wall_s <= 0) return 0;
  if (times.queued_s) return std::min(*times.queued_s / times.wall_s, 1.0);
  if (!times.cpu_s || *times.cpu_s >= times.wall_s) return 0;
  auto const sharers = find_most_crowded(summary);
  bool const is_crowded = sharers && sharers->host == summary.host_of_rank[rank];
  return is_crowded ? 1 - *times.cpu_s / times.wall_s : 0;
}

BusiestRanks busiest_ranks(Summary const& summary) {
  BusiestRanks busiest;
  double const least_s = thresholds::compute_most * summary.efficiency.useful_max_s();
  for (RankSummary const& one : summary.ranks) {
    auto const rank = static_cast<std::uint32_t>(one.rank);
    RankTimes const& times = summary.times_of_rank[rank];
    if (times.wall_s <= 0 || times.useful_s() < least_s) continue;
    busiest.ranks.push_back(rank);
    busiest.queued += queued_share(summary, rank);
    busiest.got += times.cpu_s.value_or(0) / times.wall_s;
  }
  if (busiest.ranks.empty()) return busiest;
  busiest.queued /= static_cast<double>(busiest.ranks.size());
  busiest.got /= static_cast<double>(busiest.ranks.size());
  return busiest;
}

std::vector<Finding> find_busy_processors(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  BusiestRanks const busiest = busiest_ranks(summary);
  if (busiest.ranks.empty() || busiest.queued < thresholds::queued_of_wall) return {};
  auto const sharers = find_most_crowded(summary);
  bool const are_all = busiest.ranks.size() == summary.selected_ranks;
  std::string who = are_all ? "ranks" : ranks_in_words(busiest.ranks);
  who.front() = 'R';
  return {{.rule = {},
           .weight = busiest.queued,
           .fact = fmt::format(
               "{} waited for a processor during {} of the time and got {} of one: {}. Times in MPI say "
               "little.",
               who, format_share(busiest.queued), format_share(busiest.got), describe_reason(summary, sharers)),
           .options = "--ranks --top 10",
           .advice = advice(sharers),
           .late_ranks = busiest.ranks}};
}

}  // namespace mpisee_through
