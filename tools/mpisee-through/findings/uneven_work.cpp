#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// The share of the longest wall time by which the busiest rank computes longer than the mean; 0 if no time passed.
double lost_to_uneven_work(Efficiency const& efficiency) {
  return share_of(efficiency.useful_max_s() - efficiency.useful_mean_s(), efficiency.wall_max_s()).value_or(0);
}

bool has_uneven_work(Efficiency const& efficiency) {
  return efficiency.ranks() > 1 && efficiency.load_balance().value_or(1) < thresholds::load_balance &&
         lost_to_uneven_work(efficiency) >= thresholds::worth_trying;
}

// What the busy ranks work more than the others in each window, on average. Empty if it is not known.
std::vector<double> more_work(TimeWindows const& all, std::vector<std::uint32_t> const& busy) {
  if (!all.has_single_ranks()) return {};
  auto const of_busy = static_cast<double>(busy.size());
  double const of_others = static_cast<double>(all.groups.size()) - of_busy;
  std::vector<double> more_s(all.windows.size());
  for (WindowGroup const& group : all.groups) {
    bool const is_busy = std::ranges::binary_search(busy, static_cast<std::uint32_t>(group.ranks.lowest()));
    for (std::size_t i = 0; i < more_s.size(); ++i)
      more_s[i] += group.windows[i].useful_s() * (is_busy ? 1 / of_busy : -1 / of_others);
  }
  return more_s;
}

// The windows between two calls of the only busy rank in which it works most of what it works more, as one stop of the
// program; else nothing.
std::optional<WindowSpan> longest_stop(TimeWindows const& all, std::vector<std::uint32_t> const& busy,
                                       std::vector<double> const& more_s) {
  constexpr double most = 0.6;
  auto const rank = std::ranges::find(
      all.groups, busy.front(), [](WindowGroup const& one) { return static_cast<std::uint32_t>(one.ranks.lowest()); });
  if (busy.size() > 1 || rank == all.groups.end()) return {};
  double const all_s = std::accumulate(more_s.begin(), more_s.end(), 0.0);
  for (std::size_t i = 0, begin = 0; i < more_s.size(); ++i) {
    if (rank->windows[i].calls == 0 && i + 1 < more_s.size()) continue;
    if (std::accumulate(&more_s[begin], &more_s[i], more_s[i]) > most * all_s)
      return WindowSpan{all.windows[begin].begin_s, all.windows[i].end_s};
    begin = i;
  }
  return {};
}

// How the difference comes about, where that is not in each step: all at once, or more and more.
struct Course {
  std::string fact{}, advice{};
  bool is_stop = false;
};
Course course_of(TimeWindows const& all, std::vector<std::uint32_t> const& busy) {
  constexpr double twice = 2, more = 1.25;
  std::vector<double> const more_s = more_work(all, busy);
  constexpr std::size_t parts = 6;
  if (more_s.size() < parts) return {};
  if (auto const stop = longest_stop(all, busy, more_s))
    return {fmt::format("; most of the difference comes at once, between {} and {} of the run",
                        format_seconds(stop->begin_s), format_seconds(stop->end_s)),
            fmt::format("look at what {} does at that time: input and output, another process on its host.",
                        ranks_in_words(busy)),
            true};
  // What comes a few times, as output does, may come more often in the last third by chance, but not in each part.
  std::array<double, parts> part_s{}, calls{}, of_call{};
  for (std::size_t i = 0; i < more_s.size(); ++i) {
    std::size_t const part = i * parts / more_s.size();
    part_s[part] += std::max(more_s[i], 0.0);
    calls[part] += static_cast<double>(all.job(i).calls);
  }
  if (std::ranges::min(calls) < 1) return {};
  std::ranges::transform(part_s, calls, of_call.begin(), std::divides<>());
  bool const increases = std::ranges::is_sorted(of_call, std::ranges::less_equal());
  bool const rises = increases && of_call.back() >= twice * of_call.front();
  double const first_s = part_s[0] + part_s[1], last_s = part_s[parts - 2] + part_s[parts - 1];
  if (!rises || last_s < more * first_s) return {};
  return {fmt::format("; the difference grows from {} in the first third of the run to {} in the last",
                      format_seconds(first_s), format_seconds(last_s)),
          fmt::format("look at what grows on {}, and move work to the others again and again during the run.",
                      ranks_in_words(busy))};
}

// "; rank 0 ends 1.8 s before the last one", of ranks that end so early that it costs something.
std::string early_end(Summary const& summary) {
  double const wall_s = summary.efficiency.wall_max_s();
  std::vector<std::uint32_t> early;
  double most_s = 0;
  for (RankSummary const& one : summary.ranks) {
    auto const rank = static_cast<std::uint32_t>(one.rank);
    double const before_s = wall_s - summary.times_of(one.rank).wall_s;
    if (before_s < thresholds::worth_trying * wall_s) continue;
    early.push_back(rank);
    most_s = std::max(most_s, before_s);
  }
  if (early.empty()) return {};
  return fmt::format("; {} {} {}{} before the last one", ranks_in_words(early), early.size() == 1 ? "ends" : "end",
                     early.size() == 1 ? "" : "up to ", format_seconds(most_s));
}

}  // namespace

std::vector<Finding> find_uneven_work(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  Efficiency const& efficiency = summary.efficiency;
  if (!evidence.whole_ranks || !has_uneven_work(efficiency)) return {};
  // Waiting for a processor makes work look longer.
  double const lost = lost_to_uneven_work(efficiency) - evidence.processors.of_busiest(summary.ranks);
  if (lost < thresholds::worth_trying) return {};
  std::vector<std::uint32_t> const busy = busy_ranks(summary);
  double busy_s = 0, others_s = 0;
  for (RankSummary const& one : summary.ranks) {
    auto const rank = static_cast<std::uint32_t>(one.rank);
    (std::ranges::binary_search(busy, rank) ? busy_s : others_s) += summary.times_of(one.rank).useful_s();
  }
  std::size_t const others = std::max<std::size_t>(summary.ranks.size() - busy.size(), 1);
  auto const mean = [](double sum_s, std::size_t ranks) {
    return fmt::format("{}{}", format_seconds(sum_s / static_cast<double>(ranks)), ranks == 1 ? "" : " on average");
  };
  std::string const who = ranks_in_words(busy);
  Course const course = evidence.windows == nullptr ? Course() : course_of(*evidence.windows, busy);
  // Work can be dealt to all ranks, of which the busy one keeps a part; a stop goes as a whole.
  auto const ranks = static_cast<double>(summary.ranks.size());
  return {
      {.rule = {},
       .saving = course.is_stop ? std::min(lost * ranks / (ranks - 1), 1.0) : lost,
       .fact = fmt::format("Load balance is {}: {} {} {}, the other{} {}{}{}.", format_share(efficiency.load_balance()),
                           who, busy.size() == 1 ? "computes" : "compute", mean(busy_s, busy.size()),
                           others == 1 ? "" : "s", mean(others_s, others), early_end(summary), course.fact),
       .options = "--ranks --top 10",
       .advice = !course.advice.empty() ? course.advice : move_work(summary, busy) + ".",
       .late_ranks = busy}};
}

}  // namespace mpisee_through
