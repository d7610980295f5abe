#include "comparison/statistics.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/statistics/bivariate_statistics.hpp>
#include <boost/math/statistics/univariate_statistics.hpp>
#include <cmath>
#include <cstdint>
#include <numeric>

namespace mpisee_through {
namespace {

// Twice the rank of each value, so that values that are equal share a whole number. From 2 on.
std::vector<std::size_t> double_ranks(std::vector<double> const& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<std::size_t> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    for (std::size_t i = first; i < end; ++i) ranks[order[i]] = first + 1 + end;
    first = end;
  }
  return ranks;
}

double distance(double left, double right) { return std::abs(left - right); }

// In how many ways `chosen` of the ranks have each sum, added up one rank after the other.
std::vector<double> ways_to_sums(std::vector<std::size_t> const& ranks, std::size_t chosen) {
  std::size_t const highest_sum = std::accumulate(ranks.begin(), ranks.end(), std::size_t{0});
  std::vector<std::vector<double>> ways(chosen + 1, std::vector<double>(highest_sum + 1, 0));
  ways[0][0] = 1;
  for (std::size_t const rank : ranks) {
    for (std::size_t count = chosen; count > 0; --count) {
      for (std::size_t sum = rank; sum <= highest_sum; ++sum) ways[count][sum] += ways[count - 1][sum - rank];
    }
  }
  return ways[chosen];
}

double exact_p(std::vector<std::size_t> const& ranks, std::size_t left_size, double left_sum, double expected_sum) {
  std::vector<double> const ways = ways_to_sums(ranks, left_size);
  double extreme = 0;
  for (std::size_t sum = 0; sum < ways.size(); ++sum) {
    if (distance(static_cast<double>(sum), expected_sum) >= distance(left_sum, expected_sum)) extreme += ways[sum];
  }
  return extreme / std::accumulate(ways.begin(), ways.end(), 0.0);
}

// Ranks are doubled here, too: their variance is four times as large, and the step from one sum to the next is 2.
double approximate_p(std::vector<std::size_t> const& ranks, std::size_t left_size, double left_sum,
                     double expected_sum) {
  auto const size = static_cast<double>(ranks.size());
  auto const left = static_cast<double>(left_size);
  double const mean_rank = size + 1;
  double squares = 0;
  for (std::size_t const rank : ranks) squares += std::pow(static_cast<double>(rank) - mean_rank, 2);
  if (squares == 0) return 1;
  double const deviation = std::sqrt(left * (size - left) / (size * (size - 1)) * squares);
  double const z = std::max(distance(left_sum, expected_sum) - 1, 0.0) / deviation;
  return 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), z));
}

double quantile(std::vector<double> const& ascending, double part) {
  double const at = part * static_cast<double>(ascending.size() - 1);
  auto const below = static_cast<std::size_t>(at);
  if (below + 1 == ascending.size()) return ascending[below];
  return ascending[below] + (at - static_cast<double>(below)) * (ascending[below + 1] - ascending[below]);
}

bool has_one_value_only(std::vector<double> const& values) {
  return std::ranges::adjacent_find(values, std::ranges::not_equal_to{}) == values.end();
}

bool are_comparable(std::vector<double> const& x, std::vector<double> const& y) {
  return x.size() >= 3 && !has_one_value_only(x) && !has_one_value_only(y);
}

double students_p(double coefficient, std::size_t pairs) {
  auto const freedom = static_cast<double>(pairs - 2);
  double const unexplained = 1 - coefficient * coefficient;
  if (unexplained <= 0) return 0;
  double const t = std::abs(coefficient) * std::sqrt(freedom / unexplained);
  return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(freedom), t));
}

constexpr std::size_t most_pairs_to_permute = 9;

// How many orders of the numbers 1 … n have each sum of squared differences to that order.
std::vector<double> const& orders_by_squared_differences(std::size_t n) {
  static std::array<std::vector<double>, most_pairs_to_permute + 1> known;
  std::vector<double>& orders = known[n];
  if (!orders.empty()) return orders;
  orders.resize(n * (n * n - 1) / 3 + 1);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  do {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < n; ++i)
      sum += order[i] > i ? (order[i] - i) * (order[i] - i) : (i - order[i]) * (i - order[i]);
    ++orders[sum];
  } while (std::ranges::next_permutation(order).found);
  return orders;
}

// Spearman's coefficient is 1 - sum / expected, so that coefficients are as far from 0 as sums are from the expected.
double permutation_p(std::vector<std::size_t> const& x, std::vector<std::size_t> const& y) {
  std::size_t const n = x.size();
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += std::pow((static_cast<double>(x[i]) - static_cast<double>(y[i])) / 2, 2);
  double const expected = static_cast<double>(n * (n * n - 1)) / 6;
  std::vector<double> const& orders = orders_by_squared_differences(n);
  double extreme = 0;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if (distance(static_cast<double>(i), expected) >= distance(sum, expected)) extreme += orders[i];
  }
  return extreme / std::accumulate(orders.begin(), orders.end(), 0.0);
}

bool has_ties(std::vector<std::size_t> ranks) {
  std::ranges::sort(ranks);
  return std::ranges::adjacent_find(ranks) != ranks.end();
}

}  // namespace

Distribution describe(std::vector<double> values) {
  std::ranges::sort(values);
  return {boost::math::statistics::mean(values),
          quantile(values, 0.5),
          quantile(values, 0.25),
          quantile(values, 0.75),
          values.front(),
          values.back()};
}

double mann_whitney_p(std::span<double const> left, std::span<double const> right) {
  std::vector<double> all(left.begin(), left.end());
  all.insert(all.end(), right.begin(), right.end());
  std::vector<std::size_t> const ranks = double_ranks(all);
  auto const left_sum = static_cast<double>(
      std::accumulate(ranks.begin(), ranks.begin() + static_cast<std::ptrdiff_t>(left.size()), std::size_t{0}));
  double const expected_sum = static_cast<double>(left.size()) * (static_cast<double>(all.size()) + 1);
  constexpr std::size_t most_for_exact = 30;
  auto const p = all.size() <= most_for_exact ? exact_p : approximate_p;
  return p(ranks, left.size(), left_sum, expected_sum);
}

double smallest_mann_whitney_p(std::size_t left, std::size_t right) {
  std::vector<double> values(left + right);
  std::iota(values.begin(), values.end(), 0.0);
  return mann_whitney_p(std::span(values).first(left), std::span(values).last(right));
}

std::vector<std::optional<double>> adjust_for_many_tests(std::vector<std::optional<double>> const& p) {
  std::vector<std::size_t> falling;
  for (std::size_t i = 0; i < p.size(); ++i) {
    if (p[i]) falling.push_back(i);
  }
  std::ranges::stable_sort(falling, std::ranges::greater{}, [&](std::size_t i) { return *p[i]; });
  std::vector<std::optional<double>> adjusted(p.size());
  double smallest = 1;
  for (std::size_t i = 0; i < falling.size(); ++i) {
    auto const tests = static_cast<double>(falling.size());
    smallest = std::min(smallest, *p[falling[i]] * tests / (tests - static_cast<double>(i)));
    adjusted[falling[i]] = smallest;
  }
  return adjusted;
}

std::optional<Correlation> pearson(std::vector<double> const& x, std::vector<double> const& y) {
  if (!are_comparable(x, y)) return std::nullopt;
  double const coefficient = std::clamp(boost::math::statistics::correlation_coefficient(x, y), -1.0, 1.0);
  return Correlation{coefficient, students_p(coefficient, x.size())};
}

std::optional<Correlation> spearman(std::vector<double> const& x, std::vector<double> const& y) {
  if (!are_comparable(x, y)) return std::nullopt;
  std::vector<std::size_t> const x_ranks = double_ranks(x);
  std::vector<std::size_t> const y_ranks = double_ranks(y);
  auto correlation = pearson({x_ranks.begin(), x_ranks.end()}, {y_ranks.begin(), y_ranks.end()});
  if (x.size() <= most_pairs_to_permute && !has_ties(x_ranks) && !has_ties(y_ranks)) {
    correlation->p = permutation_p(x_ranks, y_ranks);
  }
  return correlation;
}

std::optional<double> slope(std::vector<double> const& x, std::vector<double> const& y) {
  if (!are_comparable(x, y)) return std::nullopt;
  return boost::math::statistics::covariance(x, y) / boost::math::statistics::variance(x);
}

}  // namespace mpisee_through
