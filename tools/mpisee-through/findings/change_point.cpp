#include "findings/change_point.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace mpisee_through {
namespace {

constexpr std::size_t blocks = 16, fewest_on_a_side = 2;
constexpr double gap_of_step = 0.5, scatter_of_step = 0.2;

double mean_of(std::span<double const> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double scatter_of(std::span<double const> values, double mean) {
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [&](double sum, double one) { return sum + (one - mean) * (one - mean); });
}

// The size of the step in this block; 0 if it is none.
double step_at(std::span<double const> means, std::size_t block, double least) {
  auto const before = means.first(block), after = means.subspan(block + 1);
  double const low = mean_of(before), high = mean_of(after), step = std::abs(high - low);
  if (step < least) return 0;
  auto const [least_before, most_before] = std::ranges::minmax(before);
  auto const [least_after, most_after] = std::ranges::minmax(after);
  double const gap = high > low ? least_after - most_before : least_before - most_after;
  auto const free = static_cast<double>(before.size() + after.size() - 2);
  double const scatter = std::sqrt((scatter_of(before, low) + scatter_of(after, high)) / free);
  return gap >= gap_of_step * step && scatter <= scatter_of_step * step ? step : 0;
}

// The place between two blocks at which the values differ most before and after it.
std::size_t place_of_step(std::span<double const> values, std::size_t begin, std::size_t end) {
  std::size_t place = begin;
  double most = -1;
  auto const count = static_cast<double>(values.size());
  double const all = mean_of(values) * count;
  double sum = std::accumulate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(begin), 0.0);
  for (std::size_t i = begin; i < end; ++i) {
    auto const before = static_cast<double>(i);
    double const apart = std::abs(sum / before - (all - sum) / (count - before)) * std::sqrt(before * (count - before));
    if (apart > most) {
      most = apart;
      place = i;
    }
    sum += values[i];
  }
  return place;
}

}  // namespace

std::optional<ChangePoint> find_change(std::span<double const> values, double least) {
  constexpr std::size_t fewest = 2 * blocks;
  if (values.size() < fewest) return std::nullopt;
  auto const begin_of = [&](std::size_t block) { return block * values.size() / blocks; };
  std::array<double, blocks> means{};
  for (std::size_t i = 0; i < blocks; ++i)
    means[i] = mean_of(values.subspan(begin_of(i), begin_of(i + 1) - begin_of(i)));
  std::size_t found = 0;
  double most = 0;
  for (std::size_t block = fewest_on_a_side; block + fewest_on_a_side < blocks; ++block) {
    double const step = step_at(means, block, least);
    if (step <= most) continue;
    most = step;
    found = block;
  }
  if (most == 0) return std::nullopt;
  std::size_t const first = place_of_step(values, begin_of(found - 1), begin_of(found + 2));
  return ChangePoint{first, mean_of(values.first(first)), mean_of(values.subspan(first))};
}

}  // namespace mpisee_through
