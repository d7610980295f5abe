#include "findings/changed_ranks.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "findings/thresholds.hpp"

namespace mpisee_through {
namespace {

constexpr std::size_t most_values = 256, fewest_for_median = 4, same_moment = 2, edge = 16;
constexpr double least_useful_s = 1e-9;

std::vector<double> sums_of_neighbours(std::vector<double> const& values, std::size_t every) {
  std::vector<double> sums((values.size() + every - 1) / every);
  for (std::size_t i = 0; i < values.size(); ++i) sums[i / every] += values[i];
  return sums;
}

// The logarithm of the time between calls in each window. Windows without calls belong to the next call. Empty if there
// are no calls.
std::vector<double> time_between_calls(WorkOverTime const& one) {
  std::vector<double> logs(one.calls.size());
  std::size_t next = 0;
  double useful_s = 0;
  for (std::size_t i = 0; i < one.calls.size(); ++i) {
    useful_s += one.useful_s[i];
    if (one.calls[i] <= 0) continue;
    double const here = std::log2(std::max(useful_s, least_useful_s) / one.calls[i]);
    while (next <= i) logs[next++] = here;
    useful_s = 0;
  }
  if (next == 0) return {};
  std::fill(logs.begin() + static_cast<std::ptrdiff_t>(next), logs.end(), logs[next - 1]);
  return logs;
}

// Subtracts the median of all in each window.
void subtract_common(std::vector<std::vector<double>>& all, std::size_t values) {
  std::vector<double> here;
  for (std::size_t i = 0; i < values; ++i) {
    here.clear();
    for (std::vector<double> const& one : all)
      if (!one.empty()) here.push_back(one[i]);
    if (here.size() < fewest_for_median) return;
    auto const middle = here.begin() + static_cast<std::ptrdiff_t>((here.size() - 1) / 2);
    std::ranges::nth_element(here, middle);
    for (std::vector<double>& one : all)
      if (!one.empty()) one[i] -= *middle;
  }
}

// The work of a rank in both parts of the run.
class DividedWork {
 public:
  DividedWork(WorkOverTime const& work, ChangedPart const& part, double length_s) {
    std::size_t const windows = work.calls.size(), ignored = windows / edge;
    for (std::size_t i = ignored; i + ignored < windows; ++i) {
      Side& side = part.first <= i && i < part.end ? within_ : others_;
      side.length_s += length_s;
      side.useful_s += work.useful_s[i];
      side.calls += work.calls[i];
    }
  }

  [[nodiscard]] bool has_enough() const {
    return std::min(within_.calls, others_.calls) >= static_cast<double>(thresholds::calls_of_part);
  }
  [[nodiscard]] bool has_calls() const { return within_.calls > 0 && others_.calls > 0 && others_.useful_s > 0; }
  [[nodiscard]] bool is_slower_within() const {
    return within_.useful_s * others_.calls > others_.useful_s * within_.calls;
  }
  [[nodiscard]] double longer(bool within) const {
    auto const [slow, fast] = sides(within);
    return slow.useful_s / slow.calls / (fast.useful_s / fast.calls);
  }
  // The additional time in the slower part.
  [[nodiscard]] double more_s(bool within) const {
    auto const [slow, fast] = sides(within);
    return slow.useful_s - fast.useful_s / fast.calls * slow.calls;
  }
  [[nodiscard]] double slow_s(bool within) const { return within ? within_.length_s : others_.length_s; }

 private:
  struct Side {
    double length_s = 0, useful_s = 0, calls = 0;
  };
  [[nodiscard]] std::pair<Side const&, Side const&> sides(bool within) const {
    return within ? std::pair<Side const&, Side const&>(within_, others_)
                  : std::pair<Side const&, Side const&>(others_, within_);
  }

  Side within_, others_;
};

class RankFinder {
 public:
  RankFinder(std::span<WorkOverTime const> all, double length_s) : all_(all), length_s_(length_s) {}

  [[nodiscard]] std::optional<ChangedRanks> find() {
    std::vector<std::vector<double>> logs;
    for (WorkOverTime const& one : all_) logs.push_back(time_between_calls(one));
    subtract_common(logs, all_.front().calls.size());
    for (std::size_t rank = 0; rank < all_.size(); ++rank) note(rank, logs[rank]);
    if (candidates_.empty()) return std::nullopt;
    Candidate const& first = std::ranges::max(candidates_, {}, &Candidate::more_s);
    ChangedRanks found{first.part, first.is_within, {}, {}, {}};
    for (Candidate const& one : candidates_) {
      if (!is_of_same_moment(one, first)) continue;
      found.ranks.push_back(one.rank);
      found.longer.push_back(one.longer);
      found.more_s.push_back(one.more_s);
    }
    if (2 * found.ranks.size() > all_.size() || others_change(found)) return std::nullopt;
    return found;
  }

 private:
  struct Candidate {
    std::size_t rank;
    ChangedPart part;
    bool is_within;
    double longer, more_s;
  };

  void note(std::size_t rank, std::vector<double> const& logs) {
    auto const part = find_change(logs, std::log2(thresholds::slower_rank));
    if (!part) return;
    DividedWork const work(all_[rank], *part, length_s_);
    if (!work.has_enough() || !work.has_calls()) return;
    bool const is_within = work.is_slower_within();
    // A slower part on both sides of a faster one is no single change.
    if (!is_within && part->end < all_[rank].calls.size()) return;
    double const more_s = work.more_s(is_within), longer = work.longer(is_within);
    if (longer < thresholds::slower_rank || more_s < thresholds::slower_rank_of_part * work.slow_s(is_within)) return;
    candidates_.push_back({rank, *part, is_within, longer, more_s});
  }

  static bool is_near(std::size_t one, std::size_t other) {
    return one <= other + same_moment && other <= one + same_moment;
  }
  static bool is_of_same_moment(Candidate const& one, Candidate const& other) {
    return one.is_within == other.is_within && is_near(one.part.first, other.part.first) &&
           is_near(one.part.end, other.part.end);
  }

  // Whether another rank changes by half as much, in either direction.
  [[nodiscard]] bool others_change(ChangedRanks const& found) const {
    double const least_s = std::ranges::min(found.more_s);
    for (std::size_t rank = 0; rank < all_.size(); ++rank) {
      if (std::ranges::binary_search(found.ranks, rank)) continue;
      DividedWork const work(all_[rank], found.part, length_s_);
      if (work.has_calls() && std::abs(work.more_s(found.is_within)) > thresholds::others_of_change * least_s)
        return true;
    }
    return false;
  }

  std::span<WorkOverTime const> all_;
  double length_s_;
  std::vector<Candidate> candidates_;
};

}  // namespace

std::optional<ChangedRanks> find_changed_ranks(std::span<WorkOverTime const> all, double length_s) {
  if (all.size() < 2) return std::nullopt;
  std::size_t const windows = all.front().calls.size(), every = (windows + most_values - 1) / most_values;
  if (every <= 1) return RankFinder(all, length_s).find();
  std::vector<WorkOverTime> joined;
  for (WorkOverTime const& one : all)
    joined.push_back({sums_of_neighbours(one.calls, every), sums_of_neighbours(one.useful_s, every)});
  auto found = RankFinder(joined, length_s * static_cast<double>(every)).find();
  if (!found) return found;
  found->part.first *= every;
  found->part.end = std::min(found->part.end * every, windows);
  return found;
}

}  // namespace mpisee_through
