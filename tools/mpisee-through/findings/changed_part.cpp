#include "findings/changed_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "text/units.hpp"

namespace mpisee_through {

bool have_same_calls(PartSum const& one, PartSum const& other, std::uint64_t enough) {
  constexpr auto completion = static_cast<std::size_t>(CallKind::completion);
  if (one.sum.calls < enough || other.sum.calls < enough) return false;
  for (std::size_t kind = 0; kind < window_kinds.size(); ++kind)
    if (std::abs(one.share_of_calls(kind) - other.share_of_calls(kind)) > thresholds::other_mix) return false;
  double const bytes = one.bytes_a_call(), other_bytes = other.bytes_a_call();
  if (bytes == 0 && other_bytes == 0) return one.share_of_calls(completion) == 0;
  return std::max(bytes, other_bytes) <= thresholds::other_sizes * std::min(bytes, other_bytes);
}

std::string SlowerWindows::in_words() const {
  double const run_s = all_.windows.back().end_s;
  auto const share = [&](double moment_s) { return fmt::format("{:.0f} %", 100 * moment_s / run_s); };
  std::string const from = share(begin_s()), to = share(end_s());
  std::string const since = time_of_day(begin_s()), until = time_of_day(end_s());
  if (begin_s() <= 0) return fmt::format("Up to {} of the run (until {})", to, until);
  if (changed_.end == all_.windows.size()) return fmt::format("From {} of the run on (since {})", from, since);
  return fmt::format("From {} to {} of the run ({} to {})", from, to, since, until);
}

std::string SlowerWindows::time_of_day(double moment_s) const {
  std::string const& start = all_.run.start;  // 2026-11-21T10:00:00Z
  unsigned hours = 0, minutes = 0, seconds = 0;
  if (start.size() < 20 || std::sscanf(start.c_str() + 11, "%2u:%2u:%2uZ", &hours, &minutes, &seconds) != 3)
    return format_seconds(moment_s);
  std::chrono::hh_mm_ss const time(
      std::chrono::seconds((3600 * hours + 60 * minutes + seconds + static_cast<std::uint64_t>(moment_s)) % 86400));
  return fmt::format("{:02}:{:02}:{:02} UTC", time.hours().count(), time.minutes().count(), time.seconds().count());
}

std::vector<std::uint32_t> ranks_of(TimeWindows const& all, std::span<std::size_t const> groups) {
  std::vector<std::uint32_t> ranks;
  for (std::size_t const i : groups) {
    RankSet const& group = all.groups[i].ranks;
    auto const last = static_cast<std::uint32_t>(group.highest());
    for (auto rank = static_cast<std::uint32_t>(group.lowest()); rank <= last; ++rank) ranks.push_back(rank);
  }
  return ranks;
}

std::string longer_in_words(std::vector<std::uint32_t> const& ranks, std::vector<double> const& longer) {
  auto const [least, most] = std::ranges::minmax(longer);
  std::string const times =
      most < 1.1 * least ? fmt::format("{:.1f}", most) : fmt::format("{:.1f} to {:.1f}", least, most);
  return fmt::format("{} {} {} times as long between calls", ranks_in_words(ranks),
                     ranks.size() == 1 ? "computes" : "compute", times);
}

std::string options_for_ranks(TimeWindows const& all, std::vector<std::uint32_t> const& ranks) {
  constexpr std::size_t most_lines = 64;  // of --when
  return all.run.ranks > most_lines && !ranks.empty() ? "--when --rank " + rank_list(ranks) : "--when";
}

std::string advice_for_ranks(TimeWindows const& all, std::vector<std::uint32_t> const& ranks) {
  return fmt::format(
      "look for another job, a limit of power or heat, or a slow file system on {} at that time; if the "
      "work of {} grows there, move some of it.",
      all.host_of(WorldRank{ranks.front()}), ranks_in_words(ranks));
}

}  // namespace mpisee_through
