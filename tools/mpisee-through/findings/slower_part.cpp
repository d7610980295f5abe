// A part of the run in which the program makes the same calls as in the rest, but fewer a second. Where it makes other
// calls, it is in another phase, and there is nothing to tell.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "findings/change_point.hpp"
#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// The sums of some windows.
struct PartSum {
  double length_s = 0;
  WindowSum job;
  std::vector<double> useful_s;  // by group

  [[nodiscard]] double calls() const { return static_cast<double>(job.calls); }
  [[nodiscard]] double calls_a_second() const { return calls() / length_s; }
  [[nodiscard]] double bytes_a_call() const { return static_cast<double>(job.bytes) / calls(); }
  [[nodiscard]] double share_of_calls(std::size_t kind) const {
    return static_cast<double>(job.calls_of_kind[kind]) / calls();
  }
};

class SlowerPart {
 public:
  SlowerPart(TimeWindows const& all, ChangedPart const& changed) : all_(all), changed_(changed) {
    std::size_t const margin = all.windows.size() / 16;
    for (PartSum* part : {&within_, &others_}) part->useful_s.resize(all.groups.size());
    for (std::size_t i = margin; i + margin < all.windows.size(); ++i)
      add(i, changed.first <= i && i < changed.end ? within_ : others_);
  }

  [[nodiscard]] std::optional<Finding> find() {
    if (!has_same_calls()) return std::nullopt;
    is_within_ = within_.calls_a_second() < others_.calls_a_second();
    // A slower part on both sides of a faster one is no single change.
    if (!is_within_ && changed_.end < all_.windows.size()) return std::nullopt;
    double const speed = slow().calls_a_second() / fast().calls_a_second();
    double const end_s = all_.windows.back().end_s;
    double const lost = (1 - speed) * (end_of_part_s() - begin_of_part_s()) / end_s;
    if (speed > thresholds::slower_calls || lost < thresholds::lost_to_change) return std::nullopt;
    find_slower_groups();
    std::string const reason = groups_.empty() ? reason_in_mpi() : reason_in_ranks();
    if (reason.empty()) return std::nullopt;
    return Finding{.rule = {},
                   .weight = lost,
                   .fact = fmt::format("{}, the share of MPI is {} instead of {}, and the same kinds of calls are {} a "
                                       "second instead of {}; {}.",
                                       part_in_words(), format_share(mpi_share(slow())),
                                       format_share(mpi_share(fast())), rate(slow()), rate(fast()), reason),
                   .options = options(),
                   .advice = advice(),
                   .late_ranks = slower_ranks()};
  }

 private:
  void add(std::size_t window, PartSum& part) const {
    part.length_s += all_.windows[window].length_s();
    part.job += all_.job(window);
    for (std::size_t i = 0; i < all_.groups.size(); ++i) part.useful_s[i] += all_.groups[i].windows[window].useful_s();
  }

  [[nodiscard]] PartSum const& slow() const { return is_within_ ? within_ : others_; }
  [[nodiscard]] PartSum const& fast() const { return is_within_ ? others_ : within_; }
  [[nodiscard]] double begin_of_part_s() const { return is_within_ ? all_.windows[changed_.first].begin_s : 0; }
  [[nodiscard]] double end_of_part_s() const {
    return is_within_ ? all_.windows[changed_.end - 1].end_s : all_.windows[changed_.first].begin_s;
  }
  static std::optional<double> mpi_share(PartSum const& part) { return part.job.mpi_share(); }
  static std::string rate(PartSum const& part) {
    return format_count(static_cast<std::uint64_t>(std::lround(part.calls_a_second())));
  }

  // Bytes tell a program that polls from one that communicates more often.
  [[nodiscard]] bool has_same_calls() const {
    constexpr auto completion = static_cast<std::size_t>(CallKind::completion);
    std::uint64_t const enough = thresholds::calls_of_part * all_.run.ranks;
    if (within_.job.calls < enough || others_.job.calls < enough) return false;
    for (std::size_t kind = 0; kind < window_kinds.size(); ++kind)
      if (std::abs(within_.share_of_calls(kind) - others_.share_of_calls(kind)) > thresholds::other_mix) return false;
    double const one = within_.bytes_a_call(), other = others_.bytes_a_call();
    if (one == 0 && other == 0) return within_.share_of_calls(completion) == 0;
    return std::max(one, other) <= thresholds::other_sizes * std::min(one, other);
  }

  // The group's computing time for each call of the job, in the slow part divided by that in the fast one.
  [[nodiscard]] double longer(std::size_t group) const {
    double const before_s = fast().useful_s[group] / fast().calls();
    return before_s > 0 ? slow().useful_s[group] / slow().calls() / before_s : 1;
  }
  [[nodiscard]] double more_s(std::size_t group) const {
    return slow().useful_s[group] - fast().useful_s[group] / fast().calls() * slow().calls();
  }

  void find_slower_groups() {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < all_.groups.size(); ++i) ratios.push_back(longer(i));
    std::vector<double> sorted = ratios;
    auto const middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
    std::ranges::nth_element(sorted, middle);
    double const median = std::max(*middle, 1.0);
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      bool const is_much = more_s(i) >= thresholds::slower_rank_of_part * slow().length_s * all_.groups[i].size();
      if (is_much && ratios[i] >= thresholds::slower_rank * median) groups_.push_back(i);
    }
    if (2 * groups_.size() > all_.groups.size()) groups_.clear();
  }

  [[nodiscard]] std::vector<std::uint32_t> slower_ranks() const {
    std::vector<std::uint32_t> ranks;
    for (std::size_t const i : groups_)
      for (auto rank = static_cast<std::uint32_t>(all_.groups[i].ranks.lowest());
           rank <= static_cast<std::uint32_t>(all_.groups[i].ranks.highest()); ++rank)
        ranks.push_back(rank);
    return ranks;
  }

  [[nodiscard]] std::string reason_in_ranks() const {
    double least = longer(groups_.front()), most = least;
    for (std::size_t const i : groups_) {
      least = std::min(least, longer(i));
      most = std::max(most, longer(i));
    }
    bool const is_one = slower_ranks().size() == 1;
    std::string const times =
        most < 1.1 * least ? fmt::format("{:.1f}", most) : fmt::format("{:.1f} to {:.1f}", least, most);
    return fmt::format("{} {} {} times as long between calls", ranks_in_words(slower_ranks()),
                       is_one ? "computes" : "compute", times);
  }

  // Which kind of calls takes longer, if that explains most of the lost time.
  [[nodiscard]] std::string reason_in_mpi() const {
    double more_s = 0, more_useful_s = 0;
    std::size_t most = 0;
    double most_s = 0;
    auto const more_of = [&](std::size_t kind) {
      return slow().job.of_kind_s[kind] - fast().job.of_kind_s[kind] / fast().calls() * slow().calls();
    };
    for (std::size_t kind = 0; kind < window_kinds.size(); ++kind) {
      more_s += more_of(kind);
      if (more_of(kind) <= most_s) continue;
      most_s = more_of(kind);
      most = kind;
    }
    for (std::size_t i = 0; i < all_.groups.size(); ++i) more_useful_s += this->more_s(i);
    if (fast().job.calls_of_kind[most] == 0 || slow().job.calls_of_kind[most] == 0) return "";
    double const in_fast_s = fast().job.of_kind_s[most] / static_cast<double>(fast().job.calls_of_kind[most]);
    double const in_slow_s = slow().job.of_kind_s[most] / static_cast<double>(slow().job.calls_of_kind[most]);
    if (more_s < more_useful_s || most_s < more_s / 2 || in_slow_s < thresholds::slower_mpi * in_fast_s) return "";
    return fmt::format("{} calls take {:.1f} times as long", window_kinds.rows[most].name, in_slow_s / in_fast_s);
  }

  // "From 62 % of the run on (14:20:31)"
  [[nodiscard]] std::string part_in_words() const {
    double const end_s = all_.windows.back().end_s;
    auto const share_of_run = [&](double moment_s) { return fmt::format("{:.0f} %", 100 * moment_s / end_s); };
    std::string const from = share_of_run(begin_of_part_s()), to = share_of_run(end_of_part_s());
    std::string const since = time_of_day(begin_of_part_s()), until = time_of_day(end_of_part_s());
    if (begin_of_part_s() <= 0) return fmt::format("Up to {} of the run (until {})", to, until);
    if (changed_.end == all_.windows.size()) return fmt::format("From {} of the run on (since {})", from, since);
    return fmt::format("From {} to {} of the run ({} to {})", from, to, since, until);
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

  [[nodiscard]] std::string options() const {
    constexpr std::size_t most_lines = 64;  // of --when
    return all_.run.ranks > most_lines && !groups_.empty() ? "--when --rank " + rank_list(slower_ranks()) : "--when";
  }

  [[nodiscard]] std::string advice() const {
    if (groups_.empty())
      return "look for other traffic on the network, and other load on the file system, at that time.";
    auto const ranks = slower_ranks();
    return fmt::format(
        "look for another job, a limit of power or heat, or a slow file system on {} at that time; if the "
        "work of {} grows there, move some of it.",
        all_.host_of(WorldRank{ranks.front()}), ranks_in_words(ranks));
  }

  TimeWindows const& all_;
  ChangedPart changed_;
  PartSum within_, others_;
  bool is_within_ = true;            // slower within the changed part than outside
  std::vector<std::size_t> groups_;  // that compute longer in the slower part
};

}  // namespace

std::vector<Finding> find_slower_part(Evidence const& evidence) {
  if (evidence.windows == nullptr) return {};
  TimeWindows const& all = *evidence.windows;
  std::vector<double> shares;
  for (std::size_t i = 0; i < all.windows.size(); ++i) shares.push_back(all.job(i).mpi_share().value_or(0));
  auto const changed = find_change(shares, thresholds::change_of_share);
  if (!changed) return {};
  auto finding = SlowerPart(all, *changed).find();
  return finding ? std::vector<Finding>{std::move(*finding)} : std::vector<Finding>();
}

}  // namespace mpisee_through
