#include "summary/repeated_phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "summary/means.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

constexpr std::size_t fewest_values = 32, most_joined = 4, margin = 16, fewest_periods = 4;
constexpr double shortest_period = 4, of_scatter = 0.75, of_single = 0.4, from_middle = 0.15, irregular = 0.2,
                 may_be_irregular = 0.1, least_correlation = 0.5;

struct Levels {
  double low, high, explained;  // explained: of the variance
};

// The two levels that are nearest to all values.
Levels levels_of(std::span<double const> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  double const mean = mean_of(sorted), count = static_cast<double>(sorted.size());
  double scatter = 0, below = 0;
  for (double const one : sorted) scatter += (one - mean) * (one - mean);
  Levels best{mean, mean, 0};
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    below += sorted[i - 1];
    double const here = static_cast<double>(i), low = below / here, high = (mean * count - below) / (count - here);
    double const between = here * (count - here) / count * (high - low) * (high - low);
    if (scatter > 0 && between / scatter > best.explained) best = {low, high, between / scatter};
  }
  return best;
}

double correlation_at(std::span<double const> values, std::size_t distance) {
  double const mean = mean_of(values);
  double both = 0, one = 0, other = 0;
  for (std::size_t i = 0; i + distance < values.size(); ++i) {
    double const a = values[i] - mean, b = values[i + distance] - mean;
    both += a * b;
    one += a * a;
    other += b * b;
  }
  return one > 0 && other > 0 ? both / std::sqrt(one * other) : 0;
}

// Whether nearly all lengths are the same, give or take the value in which a phase begins.
bool are_regular(std::span<double const> lengths, double period) {
  double const mean = mean_of(lengths);
  auto const others = std::ranges::count_if(
      lengths, [&](double one) { return std::abs(one - mean) > std::max(irregular * period, 1.0); });
  return static_cast<double>(others) <= may_be_irregular * static_cast<double>(lengths.size());
}

// The part of the values' variance that the levels make up.
double explained_by(Phases const& phases, std::span<double const> values) {
  double const mean = mean_of(values), step = phases.high - phases.low;
  double scatter = 0;
  for (double const one : values) scatter += (one - mean) * (one - mean);
  return phases.part * (1 - phases.part) * step * step * static_cast<double>(values.size()) / scatter;
}

std::span<double const> inner_of(std::span<double const> values) {
  std::size_t const ignored = values.size() / margin;
  return values.subspan(ignored, values.size() - 2 * ignored);
}

std::optional<Phases> find_at_once(std::span<double const> inner, double least) {
  auto const [low, high, explained] = levels_of(inner);
  if (high - low < least || explained < of_scatter) return std::nullopt;
  double const middle = (low + high) / 2, away = from_middle * (high - low);
  std::vector<double> periods, highs;
  std::optional<std::size_t> began;
  bool is_high = true;  // a high part is counted from its begin on
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (is_high && inner[i] < middle - away) {
      if (began) highs.push_back(static_cast<double>(i - *began));
      is_high = false;
    } else if (!is_high && inner[i] > middle + away) {
      if (began) periods.push_back(static_cast<double>(i - *began));
      began = i;
      is_high = true;
    }
  }
  if (periods.size() < fewest_periods) return std::nullopt;
  double const period = mean_of(periods);
  highs.resize(periods.size());  // without one that may go on
  if (period < shortest_period || !are_regular(periods, period) || !are_regular(highs, period)) return std::nullopt;
  if (correlation_at(inner, static_cast<std::size_t>(std::lround(period))) < least_correlation) return std::nullopt;
  auto const is_above = [&](double one) { return one > middle; };
  double const part = static_cast<double>(std::ranges::count_if(inner, is_above)) / static_cast<double>(inner.size());
  return Phases{periods.size(), period, part, high, low};
}

}  // namespace

std::optional<Phases> find_phases(std::span<double const> values, double least) {
  for (std::size_t every = 1; every <= most_joined && values.size() / every >= fewest_values; every *= 2) {
    auto found = find_at_once(inner_of(means_of_neighbours(values, every)), least);
    // Periods that are shorter than the joined values seem longer where they beat with them.
    if (!found || explained_by(*found, inner_of(values)) < of_single) continue;
    found->period *= static_cast<double>(every);
    return found;
  }
  return std::nullopt;
}

std::optional<RepeatedPhases> find_phases(TimeWindows const& all) {
  constexpr double least = 0.1;
  std::vector<double> shares;
  for (std::size_t i = 0; i < all.windows.size(); ++i) shares.push_back(all.job(i).mpi_share().value_or(0));
  auto const found = find_phases(shares, least);
  if (!found) return std::nullopt;
  return RepeatedPhases{found->period * all.run.windows->width_s, found->part, found->high, found->low};
}

std::string in_words(RepeatedPhases const& phases) {
  return fmt::format("The run repeats phases of {}: in {} of each the share of MPI is {}, in the rest {}.",
                     format_seconds(phases.period_s), format_share(phases.part), format_share(phases.much),
                     format_share(phases.little));
}

}  // namespace mpisee_through
