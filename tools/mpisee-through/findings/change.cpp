// A part of the run in which few ranks compute longer between their calls than in the rest, or the same calls take
// longer. Where the program makes other calls, it is in another phase, and there is nothing to tell.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "findings/change_point.hpp"
#include "findings/changed_ranks.hpp"
#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// Some ranks in some windows.
struct PartSum {
  double length_s = 0;  // of the windows
  WindowSum sum{};

  [[nodiscard]] double calls() const { return static_cast<double>(sum.calls); }
  [[nodiscard]] double calls_a_second() const { return calls() / length_s; }
  [[nodiscard]] double bytes_a_call() const { return static_cast<double>(sum.bytes) / calls(); }
  [[nodiscard]] double useful_s_a_call() const { return sum.useful_s() / calls(); }
  [[nodiscard]] double share_of_calls(std::size_t kind) const {
    return static_cast<double>(sum.calls_of_kind[kind]) / calls();
  }
};

// Whether both parts have enough calls, of the same kinds, with as many bytes. Bytes tell a program that polls from one
// that communicates more often.
bool have_same_calls(PartSum const& one, PartSum const& other, std::uint64_t enough) {
  constexpr auto completion = static_cast<std::size_t>(CallKind::completion);
  if (one.sum.calls < enough || other.sum.calls < enough) return false;
  for (std::size_t kind = 0; kind < window_kinds.size(); ++kind)
    if (std::abs(one.share_of_calls(kind) - other.share_of_calls(kind)) > thresholds::other_mix) return false;
  double const bytes = one.bytes_a_call(), other_bytes = other.bytes_a_call();
  if (bytes == 0 && other_bytes == 0) return one.share_of_calls(completion) == 0;
  return std::max(bytes, other_bytes) <= thresholds::other_sizes * std::min(bytes, other_bytes);
}

// The run, divided into a slower and a faster part: that between two steps, or before or after one.
class DividedRun {
 public:
  DividedRun(TimeWindows const& all, ChangedPart const& changed) : all_(all), changed_(changed) {}

  // What a group, or all of them, did inside and outside of the changed part, without the ends of the run.
  template <class SumOf>
  [[nodiscard]] std::pair<PartSum, PartSum> sums(SumOf sum_of) const {
    std::pair<PartSum, PartSum> parts;
    std::size_t const margin = all_.windows.size() / 16;
    for (std::size_t i = margin; i + margin < all_.windows.size(); ++i) {
      PartSum& part = changed_.first <= i && i < changed_.end ? parts.first : parts.second;
      part.length_s += all_.windows[i].length_s();
      part.sum += sum_of(i);
    }
    return parts;
  }

  // A slower part on both sides of a faster one is no single change.
  [[nodiscard]] bool is_single(bool is_within) const { return is_within || changed_.end == all_.windows.size(); }
  [[nodiscard]] double share_of_run(bool is_within) const {
    return (end_s(is_within) - begin_s(is_within)) / all_.windows.back().end_s;
  }

  // When the first of the slower and the faster part ends.
  [[nodiscard]] double changes_at_s(bool is_within) const {
    return begin_s(is_within) > 0 ? begin_s(is_within) : end_s(is_within);
  }

  // "From 62 % of the run on (since 14:20:31 UTC)"
  [[nodiscard]] std::string in_words(bool is_within) const {
    double const run_s = all_.windows.back().end_s, begin = begin_s(is_within), end = end_s(is_within);
    auto const share = [&](double moment_s) { return fmt::format("{:.0f} %", 100 * moment_s / run_s); };
    if (begin <= 0) return fmt::format("Up to {} of the run (until {})", share(end), time_of_day(end));
    if (changed_.end == all_.windows.size())
      return fmt::format("From {} of the run on (since {})", share(begin), time_of_day(begin));
    return fmt::format("From {} to {} of the run ({} to {})", share(begin), share(end), time_of_day(begin),
                       time_of_day(end));
  }

 private:
  [[nodiscard]] double begin_s(bool is_within) const { return is_within ? all_.windows[changed_.first].begin_s : 0; }
  [[nodiscard]] double end_s(bool is_within) const {
    return is_within ? all_.windows[changed_.end - 1].end_s : all_.windows[changed_.first].begin_s;
  }

  // In UTC, as the profile has the start; seconds since the start if it has none.
  [[nodiscard]] std::string time_of_day(double moment_s) const {
    std::string const& start = all_.run.start;  // 2026-11-21T10:00:00Z
    unsigned hours = 0, minutes = 0, seconds = 0;
    if (start.size() < 20 || std::sscanf(start.c_str() + 11, "%2u:%2u:%2uZ", &hours, &minutes, &seconds) != 3)
      return format_seconds(moment_s);
    std::chrono::hh_mm_ss const time(
        std::chrono::seconds((3600 * hours + 60 * minutes + seconds + static_cast<std::uint64_t>(moment_s)) % 86400));
    return fmt::format("{:02}:{:02}:{:02} UTC", time.hours().count(), time.minutes().count(), time.seconds().count());
  }

  TimeWindows const& all_;
  ChangedPart changed_;
};

// The ranks of groups, ascending.
std::vector<std::uint32_t> ranks_of(TimeWindows const& all, std::span<std::size_t const> groups) {
  std::vector<std::uint32_t> ranks;
  for (std::size_t const i : groups) {
    RankSet const& group = all.groups[i].ranks;
    auto const last = static_cast<std::uint32_t>(group.highest());
    for (auto rank = static_cast<std::uint32_t>(group.lowest()); rank <= last; ++rank) ranks.push_back(rank);
  }
  return ranks;
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

// Nothing if they may only have had no processor.
std::optional<Finding> find_slower_ranks(Evidence const& evidence) {
  TimeWindows const& all = *evidence.windows;
  auto const changed = find_changed_ranks(work_of(all), all.run.windows->width_s);
  if (!changed) return {};
  DividedRun const run(all, changed->part);
  std::string times;  // of a single rank
  for (std::size_t i = 0; i < changed->ranks.size(); ++i) {
    WindowGroup const& group = all.groups[changed->ranks[i]];
    auto parts = run.sums([&](std::size_t window) { return group.windows[window]; });
    if (!changed->is_within) std::swap(parts.first, parts.second);
    auto const& [slow, fast] = parts;
    if (!have_same_calls(slow, fast, thresholds::calls_of_part * group.ranks.size())) return {};
    times = fmt::format(" ({} instead of {})", format_seconds(slow.useful_s_a_call()),
                        format_seconds(fast.useful_s_a_call()));
  }
  auto const ranks = ranks_of(all, changed->ranks);
  double const more_s = std::ranges::max(changed->more_s);
  double lost = more_s / all.windows.back().end_s, caused_s = more_s;
  // If it is known who waits: their additional work, and what others wait for them.
  if (evidence.causes) {
    caused_s = 0;
    for (Cause const& one : evidence.causes())
      if (std::ranges::binary_search(ranks, static_cast<std::uint32_t>(one.rank))) caused_s += one.caused_s;
    lost = std::min(lost, share_of_wall(evidence, more_s * static_cast<double>(ranks.size()) + caused_s));
  }
  bool const may_queue = more_s < 1.5 * all.times_of_rank[ranks.front()].queued_outside_s.value_or(0);
  if (lost < thresholds::worth_trying || may_queue) return {};
  auto const [least, most] = std::ranges::minmax(changed->longer);
  std::string const longer =
      most < 1.1 * least ? fmt::format("{:.1f}", most) : fmt::format("{:.1f} to {:.1f}", least, most);
  constexpr std::size_t most_lines = 64;  // of --when
  return Finding{
      .rule = {},
      .saving = lost,
      .fact = fmt::format("{}, {} {} {} times as long between calls{}, and the other ranks do not.",
                          run.in_words(changed->is_within), ranks_in_words(ranks),
                          ranks.size() == 1 ? "computes" : "compute", longer, ranks.size() == 1 ? times : ""),
      .options = all.run.ranks > most_lines ? "--when --rank " + rank_list(ranks) : "--when",
      .advice = fmt::format("if the work of {} grows there, move some of it; if not, look for another job, a limit of "
                            "power or heat, or a slow file system on {} at that time.",
                            ranks_in_words(ranks), all.host_of(WorldRank{ranks.front()})),
      .late_ranks = ranks,
      .note = caused_s < more_s / 2 ? "Nobody waits for that: it saves time only if work can move." : "",
      .changes_at_s = run.changes_at_s(changed->is_within)};
}

// Which kind of calls takes longer, if that explains most of the lost time; else empty.
std::string slower_kind(PartSum const& slow, PartSum const& fast) {
  double all_more_s = 0, most_s = 0;
  std::size_t most = 0;
  double const ratio = slow.calls() / fast.calls();
  for (std::size_t kind = 0; kind < window_kinds.size(); ++kind) {
    double const more_s = slow.sum.of_kind_s[kind] - fast.sum.of_kind_s[kind] * ratio;
    all_more_s += more_s;
    if (more_s <= most_s) continue;
    most_s = more_s;
    most = kind;
  }
  if (fast.sum.calls_of_kind[most] == 0 || slow.sum.calls_of_kind[most] == 0) return "";
  double const in_fast_s = fast.sum.of_kind_s[most] / static_cast<double>(fast.sum.calls_of_kind[most]);
  double const in_slow_s = slow.sum.of_kind_s[most] / static_cast<double>(slow.sum.calls_of_kind[most]);
  bool const is_work = all_more_s < slow.sum.useful_s() - fast.sum.useful_s() * ratio;
  if (is_work || most_s < all_more_s / 2 || in_slow_s < thresholds::slower_mpi * in_fast_s) return "";
  return fmt::format("{} calls take {:.1f} times as long", window_kinds.rows[most].name, in_slow_s / in_fast_s);
}

// Not if most of the time in MPI is waiting: who causes that is a finding of its own.
std::optional<Finding> find_slower_calls(TimeWindows const& all) {
  if (all.account && all.account->waiting_s > all.mpi_s / 2) return {};
  std::vector<double> shares;
  for (std::size_t i = 0; i < all.windows.size(); ++i) shares.push_back(all.job(i).mpi_share().value_or(0));
  auto const changed = find_change(shares, thresholds::change_of_share);
  if (!changed) return {};
  DividedRun const run(all, *changed);
  auto const [within, others] = run.sums([&](std::size_t window) { return all.job(window); });
  if (!have_same_calls(within, others, thresholds::calls_of_part * all.run.ranks)) return {};
  // Where a rank has ended, or another group of ranks calls, the program is in another phase.
  double other_callers = 0;
  for (WindowGroup const& group : all.groups) {
    auto const [its_within, its_others] = run.sums([&](std::size_t window) { return group.windows[window]; });
    other_callers += std::abs(its_within.calls() / within.calls() - its_others.calls() / others.calls()) / 2;
  }
  if (other_callers > thresholds::other_mix) return {};
  bool const is_within = within.calls_a_second() < others.calls_a_second();
  PartSum const &slow = is_within ? within : others, &fast = is_within ? others : within;
  double const speed = slow.calls_a_second() / fast.calls_a_second();
  double const lost = (1 - speed) * run.share_of_run(is_within);
  std::string const reason = slower_kind(slow, fast);
  if (!run.is_single(is_within) || reason.empty()) return {};
  if (speed > thresholds::slower_calls || lost < thresholds::worth_trying) return {};
  auto const rate = [](PartSum const& part) {
    return format_count(static_cast<std::uint64_t>(std::lround(part.calls_a_second())));
  };
  return Finding{.rule = {},
                 .saving = lost,
                 .fact = fmt::format("{}, {}: the same kinds of calls are {} a second instead of {}, and MPI takes {} "
                                     "instead of {}.",
                                     run.in_words(is_within), reason, rate(slow), rate(fast),
                                     format_share(slow.sum.mpi_share()), format_share(fast.sum.mpi_share())),
                 .options = "--when",
                 .advice = "look for other traffic on the network, and other load on the file system, at that time.",
                 .changes_at_s = run.changes_at_s(is_within)};
}

}  // namespace

std::vector<Finding> find_changes(Evidence const& evidence) {
  if (evidence.windows == nullptr) return {};
  auto finding = find_slower_ranks(evidence);
  if (!finding) finding = find_slower_calls(*evidence.windows);
  return finding ? std::vector<Finding>{std::move(*finding)} : std::vector<Finding>();
}

}  // namespace mpisee_through
