// Ranks that become slow, though the job does not: the last one of a pipeline, or a worker for which nobody waits.
#include <fmt/format.h>

#include <algorithm>

#include "findings/changed_part.hpp"
#include "findings/changed_ranks.hpp"
#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// The sums of a group in the slower and in the faster part.
struct BothParts {
  PartSum slow, fast;
};
BothParts parts_of(TimeWindows const& all, std::size_t group, ChangedRanks const& changed) {
  BothParts parts;
  std::size_t const margin = all.windows.size() / 16;
  for (std::size_t i = margin; i + margin < all.windows.size(); ++i) {
    bool const is_within = changed.part.first <= i && i < changed.part.end;
    (is_within == changed.is_within ? parts.slow : parts.fast).sum += all.groups[group].windows[i];
  }
  return parts;
}

// Per rank, where the profile adds up neighbours.
std::vector<WorkOverTime> work_of(TimeWindows const& all) {
  std::vector<WorkOverTime> work(all.groups.size());
  for (std::size_t i = 0; i < all.groups.size(); ++i) {
    for (WindowSum const& sum : all.groups[i].windows) {
      work[i].calls.push_back(static_cast<double>(sum.calls) / all.groups[i].size());
      work[i].useful_s.push_back(sum.useful_s() / all.groups[i].size());
    }
  }
  return work;
}

// "18.4 ms instead of 4.6 ms"
std::string times_in_words(BothParts const& parts) {
  return fmt::format("{} instead of {}", format_seconds(parts.slow.useful_s_a_call()),
                     format_seconds(parts.fast.useful_s_a_call()));
}

}  // namespace

std::vector<Finding> find_slower_ranks(Evidence const& evidence) {
  if (evidence.windows == nullptr || !find_slower_part(evidence).empty()) return {};
  TimeWindows const& all = *evidence.windows;
  auto const changed = find_changed_ranks(work_of(all), all.run.windows->width_s);
  if (!changed) return {};
  double ranks_s = 0;
  for (RankTimes const& one : all.times_of_rank) ranks_s += one.wall_s;
  double more_s = 0;
  for (std::size_t i = 0; i < changed->ranks.size(); ++i) {
    std::size_t const group = changed->ranks[i];
    BothParts const parts = parts_of(all, group, *changed);
    double const size = all.groups[group].size();
    if (!have_same_calls(parts.slow, parts.fast, thresholds::calls_of_part * static_cast<std::uint64_t>(size)))
      return {};
    if (changed->more_s[i] < thresholds::lost_to_change * all.windows.back().end_s) return {};
    more_s += changed->more_s[i] * size;
  }
  auto const ranks = ranks_of(all, changed->ranks);
  BothParts const first = parts_of(all, changed->ranks.front(), *changed);
  return {Finding{.rule = {},
                  .weight = share_of(more_s, ranks_s).value_or(0),
                  .fact = fmt::format("{}, {}{}, and the other ranks do not.",
                                      SlowerWindows(all, changed->part, changed->is_within).in_words(),
                                      longer_in_words(ranks, changed->longer),
                                      ranks.size() == 1 ? fmt::format(" ({})", times_in_words(first)) : ""),
                  .options = options_for_ranks(all, ranks),
                  .advice = advice_for_ranks(all, ranks),
                  .late_ranks = ranks,
                  .delay = std::ranges::max(changed->more_s) / all.windows.back().end_s}};
}

}  // namespace mpisee_through
