// A part of the run in which the program makes the same calls as in the rest, but fewer a second. Where it makes other
// calls, it is in another phase, and there is nothing to tell.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "findings/change_point.hpp"
#include "findings/changed_part.hpp"
#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// The windows of a part: of the job, and of each group of ranks.
struct SumsOfPart {
  PartSum job;
  std::vector<PartSum> groups;

  [[nodiscard]] double useful_s(std::size_t group) const { return groups[group].sum.useful_s(); }
};

class SlowerPart {
 public:
  SlowerPart(TimeWindows const& all, ChangedPart const& changed) : all_(all), changed_(changed) {
    std::size_t const margin = all.windows.size() / 16;
    for (SumsOfPart* part : {&within_, &others_}) part->groups.resize(all.groups.size());
    for (std::size_t i = margin; i + margin < all.windows.size(); ++i)
      add(i, changed.first <= i && i < changed.end ? within_ : others_);
  }

  [[nodiscard]] std::optional<Finding> find() {
    if (!have_same_calls(within_.job, others_.job, thresholds::calls_of_part * all_.run.ranks)) return std::nullopt;
    is_within_ = within_.job.calls_a_second() < others_.job.calls_a_second();
    // A slower part on both sides of a faster one is no single change.
    if (!is_within_ && changed_.end < all_.windows.size()) return std::nullopt;
    SlowerWindows const part(all_, changed_, is_within_);
    double const speed = slow().job.calls_a_second() / fast().job.calls_a_second();
    double const lost = (1 - speed) * part.share_of_run();
    if (speed > thresholds::slower_calls || lost < thresholds::lost_to_change) return std::nullopt;
    find_slower_groups();
    std::string const reason = groups_.empty() ? reason_in_mpi() : reason_in_ranks();
    if (reason.empty()) return std::nullopt;
    auto const ranks = ranks_of(all_, groups_);
    return Finding{.rule = {},
                   .weight = lost,
                   .fact = fmt::format("{}, the share of MPI is {} instead of {}, and the same kinds of calls are {} a "
                                       "second instead of {}; {}.",
                                       part.in_words(), format_share(mpi_share(slow())),
                                       format_share(mpi_share(fast())), rate(slow()), rate(fast()), reason),
                   .options = options_for_ranks(all_, ranks),
                   .advice = groups_.empty() ? std::string(advice_without_ranks) : advice_for_ranks(all_, ranks),
                   .late_ranks = ranks};
  }

 private:
  static constexpr std::string_view advice_without_ranks =
      "look for other traffic on the network, and other load on the file system, at that time.";

  void add(std::size_t window, SumsOfPart& part) const {
    part.job.length_s += all_.windows[window].length_s();
    part.job.sum += all_.job(window);
    for (std::size_t i = 0; i < all_.groups.size(); ++i) part.groups[i].sum += all_.groups[i].windows[window];
  }

  [[nodiscard]] SumsOfPart const& slow() const { return is_within_ ? within_ : others_; }
  [[nodiscard]] SumsOfPart const& fast() const { return is_within_ ? others_ : within_; }
  static std::optional<double> mpi_share(SumsOfPart const& part) { return part.job.sum.mpi_share(); }
  static std::string rate(SumsOfPart const& part) {
    return format_count(static_cast<std::uint64_t>(std::lround(part.job.calls_a_second())));
  }

  // The group's computing time for each call of the job, in the slow part divided by that in the fast one.
  [[nodiscard]] double longer(std::size_t group) const {
    double const before_s = fast().useful_s(group) / fast().job.calls();
    return before_s > 0 ? slow().useful_s(group) / slow().job.calls() / before_s : 1;
  }
  [[nodiscard]] double more_s(std::size_t group) const {
    return slow().useful_s(group) - fast().useful_s(group) / fast().job.calls() * slow().job.calls();
  }

  void find_slower_groups() {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < all_.groups.size(); ++i) ratios.push_back(longer(i));
    std::vector<double> sorted = ratios;
    auto const middle = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
    std::ranges::nth_element(sorted, middle);
    double const median = std::max(*middle, 1.0);
    for (std::size_t i = 0; i < ratios.size(); ++i) {
      double const least_s = thresholds::slower_rank_of_part * slow().job.length_s * all_.groups[i].size();
      if (more_s(i) >= least_s && ratios[i] >= thresholds::slower_rank * median) groups_.push_back(i);
    }
    if (2 * groups_.size() > all_.groups.size()) groups_.clear();
  }

  [[nodiscard]] std::string reason_in_ranks() const {
    std::vector<double> times;
    for (std::size_t const i : groups_) times.push_back(longer(i));
    return longer_in_words(ranks_of(all_, groups_), times);
  }

  // Which kind of calls takes longer, if that explains most of the lost time.
  [[nodiscard]] std::string reason_in_mpi() const {
    WindowSum const& fast_sum = fast().job.sum;
    WindowSum const& slow_sum = slow().job.sum;
    double all_more_s = 0, more_useful_s = 0;
    std::size_t most = 0;
    double most_s = 0;
    for (std::size_t kind = 0; kind < window_kinds.size(); ++kind) {
      double const here_s =
          slow_sum.of_kind_s[kind] - fast_sum.of_kind_s[kind] / fast().job.calls() * slow().job.calls();
      all_more_s += here_s;
      if (here_s <= most_s) continue;
      most_s = here_s;
      most = kind;
    }
    for (std::size_t i = 0; i < all_.groups.size(); ++i) more_useful_s += more_s(i);
    if (fast_sum.calls_of_kind[most] == 0 || slow_sum.calls_of_kind[most] == 0) return "";
    double const in_fast_s = fast_sum.of_kind_s[most] / static_cast<double>(fast_sum.calls_of_kind[most]);
    double const in_slow_s = slow_sum.of_kind_s[most] / static_cast<double>(slow_sum.calls_of_kind[most]);
    if (all_more_s < more_useful_s || most_s < all_more_s / 2 || in_slow_s < thresholds::slower_mpi * in_fast_s)
      return "";
    return fmt::format("{} calls take {:.1f} times as long", window_kinds.rows[most].name, in_slow_s / in_fast_s);
  }

  TimeWindows const& all_;
  ChangedPart changed_;
  SumsOfPart within_, others_;
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
