#include "findings/change_point.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <vector>

namespace mpisee_through {
namespace {

constexpr std::size_t blocks = 16, fewest_values = 100, most_joined = 4;
constexpr double sudden = 0.7, at_once = 0.7, to_other_steps = 2.5, gap_of_step = 0.5, scatter_of_step = 0.2,
                 level_of_step = 0.25;

// The means of so many neighbours each.
std::vector<double> means_of_neighbours(std::span<double const> values, std::size_t every) {
  std::vector<double> means;
  for (std::size_t i = 0; i < values.size(); i += every)
    means.push_back(mean_of(values.subspan(i, std::min(every, values.size() - i))));
  return means;
}

class ChangeFinder {
 public:
  ChangeFinder(std::span<double const> values, double least)
      : values_(values), least_(least), block_(values.size() / blocks) {
    steps_.resize(values.size());
    std::size_t const first = 2 * block_;
    if (first + 2 * block_ >= values.size()) return;
    auto const length = static_cast<double>(block_);
    double before = mean_of(values.subspan(first - block_, block_)) * length;
    double after = mean_of(values.subspan(first + 1, block_)) * length;
    for (std::size_t i = first; i + 2 * block_ < values.size(); ++i) {
      steps_[i] = (after - before) / length;
      before += values[i] - values[i - block_];
      after += values[i + 1 + block_] - values[i + 1];
    }
  }

  [[nodiscard]] std::optional<ChangedPart> find() const {
    std::size_t const one = largest({});
    if (is_near_an_end(one)) return std::nullopt;
    std::size_t const other = largest({one});
    if (dominates(one, size(other))) return changed(one, values_.size());
    if (is_near_an_end(other) || steps_[one] * steps_[other] > 0) return std::nullopt;
    std::size_t const third = largest({one, other});
    if (!dominates(other, size(third))) return std::nullopt;
    return changed(std::min(one, other), std::max(one, other));
  }

 private:
  [[nodiscard]] double size(std::size_t step) const { return std::abs(steps_[step]); }
  // The largest difference between the means of a few values before and after one that is the step or beside it. Few
  // are as many as a call that takes longer than a window, and the one after it, may share.
  [[nodiscard]] double size_at_once(std::size_t step) const {
    std::size_t const few = std::max<std::size_t>(block_ / 3, 2);
    double most = 0;
    for (std::size_t i = step - 1; i <= step + 1; ++i) {
      double const difference = mean_of(values_.subspan(i + 1, few)) - mean_of(values_.subspan(i - few, few));
      if (difference * steps_[step] > 0) most = std::max(most, std::abs(difference));
    }
    return most;
  }
  [[nodiscard]] bool dominates(std::size_t step, double others) const { return size(step) >= to_other_steps * others; }
  [[nodiscard]] bool is_near_an_end(std::size_t step) const {
    return step < 2 * block_ || step + 2 * block_ >= values_.size();
  }

  // The largest step that is not near known ones.
  [[nodiscard]] std::size_t largest(std::vector<std::size_t> const& known) const {
    std::size_t place = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      bool const is_near = std::ranges::any_of(
          known, [&](std::size_t step) { return i + block_ + 1 >= step && i <= step + block_ + 1; });
      if (!is_near && size(i) > size(place)) place = i;
    }
    return place;
  }

  // The values that a step divides: the one in which it happens may belong to either side.
  [[nodiscard]] std::size_t begin_of(std::size_t step) const {
    double const before = mean_of(values_.subspan(step - block_, block_));
    double const after = mean_of(values_.subspan(step + 1, block_));
    return std::abs(values_[step] - before) < std::abs(values_[step] - after) ? step + 1 : step;
  }

  // Means of blocks, each within one part.
  [[nodiscard]] std::vector<double> means_between(std::size_t first, std::size_t end) const {
    std::vector<double> means;
    std::size_t const parts = std::max<std::size_t>((end - first) / block_, 1);
    for (std::size_t i = 0; i < parts; ++i) {
      std::size_t const begin = first + i * (end - first) / parts, next = first + (i + 1) * (end - first) / parts;
      means.push_back(mean_of(values_.subspan(begin, next - begin)));
    }
    return means;
  }

  [[nodiscard]] std::optional<ChangedPart> changed(std::size_t from, std::size_t to) const {
    bool const has_end = to < values_.size();
    std::size_t const last = values_.size() - block_;
    std::vector<double> const before = means_between(block_, from);
    std::vector<double> const after = has_end ? means_between(to + 1, last) : std::vector<double>();
    if (has_end && to - from <= block_ + 1) return std::nullopt;
    std::vector<double> const within = means_between(from + 1, has_end ? to : last);
    std::vector<double> outside = before;
    outside.insert(outside.end(), after.begin(), after.end());
    double const low = mean_of(outside), high = mean_of(within), step = std::abs(high - low);
    if (step < least_) return std::nullopt;
    for (std::size_t const one : {from, to})
      if (one < values_.size() && (size(one) < sudden * step || size_at_once(one) < at_once * step))
        return std::nullopt;
    if (has_end && std::abs(mean_of(before) - mean_of(after)) > level_of_step * step) return std::nullopt;
    if (gap(outside, within) < gap_of_step * step || scatter(outside, low, within, high) > scatter_of_step * step)
      return std::nullopt;
    return ChangedPart{begin_of(from), has_end ? begin_of(to) : values_.size()};
  }

  static double gap(std::vector<double> const& outside, std::vector<double> const& within) {
    auto const [least_outside, most_outside] = std::ranges::minmax(outside);
    auto const [least_within, most_within] = std::ranges::minmax(within);
    return std::max(least_within - most_outside, least_outside - most_within);
  }

  static double scatter(std::vector<double> const& outside, double low, std::vector<double> const& within,
                        double high) {
    double sum = 0;
    for (double const one : outside) sum += (one - low) * (one - low);
    for (double const one : within) sum += (one - high) * (one - high);
    return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(outside.size() + within.size(), 3) - 2));
  }

  std::span<double const> values_;
  double least_;
  std::size_t block_;  // values in it
  std::vector<double> steps_;
};

}  // namespace

std::optional<ChangedPart> find_change(std::span<double const> values, double least) {
  for (std::size_t every = 1; every <= most_joined && values.size() / every >= fewest_values; every *= 2) {
    auto found = ChangeFinder(means_of_neighbours(values, every), least).find();
    if (!found) continue;
    found->first *= every;
    found->end = std::min(found->end * every, values.size());
    return found;
  }
  return std::nullopt;
}

}  // namespace mpisee_through
