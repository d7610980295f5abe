#include "comparison/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/statistics/bivariate_statistics.hpp>
#include <boost/math/statistics/univariate_statistics.hpp>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

namespace mpisee_through {
namespace {

// Twice the rank of each value, from 2 on: doubling keeps the mean ranks of equal values whole.
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

constexpr std::size_t most_divisions = 20'000;  // of runs into two groups, to try

double distance(double left, double right) { return std::abs(left - right); }

// Ranks are doubled: their variance is four times as large, and sums differ by steps of 2.
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

constexpr std::size_t most_pairs_to_permute = 8;

// The p value: the share of orders whose sum of products is at least as far from the mean. Orders that differ
// only by an exchange of equal ranks count as one.
double order_p(std::vector<double> const& x, std::vector<double> y) {
  auto const products = [&] { return std::inner_product(x.begin(), x.end(), y.begin(), 0.0); };
  double const expected = std::accumulate(x.begin(), x.end(), 0.0) * std::accumulate(y.begin(), y.end(), 0.0) /
                          static_cast<double>(x.size());
  double const seen = distance(products(), expected) - 1e-6;
  double extreme = 0, orders = 0;
  std::ranges::sort(y);
  do {
    if (distance(products(), expected) >= seen) ++extreme;
    ++orders;
  } while (std::ranges::next_permutation(y).found);
  return extreme / orders;
}

// Computes Welch's t of a line for any division of the runs.
class Welch {
 public:
  explicit Welch(std::vector<double> values) : values_(std::move(values)) {
    // Shifts the mean to 0, so that sums of squares keep their digits.
    double const mean = boost::math::statistics::mean(values_);
    double const largest = std::abs(*std::ranges::max_element(values_, {}, [](double one) { return std::abs(one); }));
    for (double& value : values_) value -= mean;
    for (double const value : values_) squares_ += value * value;
    smallest_variance_ = std::pow(1e-9 * largest, 2);
  }

  // is_left: by run; true for exactly `left` runs.
  [[nodiscard]] double operator()(std::vector<char> const& is_left, double left) const {
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (is_left[i] == 0) continue;
      sum += values_[i];
      squares += values_[i] * values_[i];
    }
    double const right = static_cast<double>(values_.size()) - left;
    double const difference = sum / left + sum / right;  // the sum over all runs is 0
    auto const of_mean = [](double sum_of_side, double squares_of_side, double runs) {
      return std::max(squares_of_side - sum_of_side * sum_of_side / runs, 0.0) / (runs - 1) / runs;
    };
    double const variance = of_mean(sum, squares, left) + of_mean(-sum, squares_ - squares, right);
    return std::abs(difference) / std::sqrt(std::max({variance, smallest_variance_, 1e-300}));
  }

 private:
  std::vector<double> values_;
  double squares_ = 0, smallest_variance_ = 0;
};

// Whether the values of one side are all 0 and those of the other all differ from 0.
bool is_on_one_side(std::vector<double> const& line, std::vector<char> const& is_left) {
  auto const is_there_where_left = [&](std::size_t run) { return (line[run] != 0) == (is_left[run] != 0); };
  bool const is_left_side = is_there_where_left(0);
  for (std::size_t run = 1; run < line.size(); ++run)
    if (is_there_where_left(run) != is_left_side) return false;
  return true;
}

// Calls visit(is_left) for divisions of the runs: for all if there are at most `most`, otherwise for that many random
// ones. Returns whether it visited all.
template <class Visit>
bool for_each_division(std::size_t runs, std::size_t left, std::size_t most, Visit visit) {
  double ways = 1;
  for (std::size_t i = 0; i < left; ++i) ways = ways * static_cast<double>(runs - i) / static_cast<double>(i + 1);
  std::vector<char> is_left(runs, 0);
  std::fill_n(is_left.begin(), left, char{1});
  if (ways <= static_cast<double>(most)) {
    do visit(is_left);
    while (std::ranges::prev_permutation(is_left).found);
    return true;
  }
  std::mt19937_64 random(1);  // a fixed seed, for reproducible results
  for (std::size_t i = 0; i < most; ++i) {
    std::ranges::shuffle(is_left, random);
    visit(is_left);
  }
  return false;
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
  double divisions = 0, extreme = 0;
  bool const are_all =
      for_each_division(all.size(), left.size(), most_divisions, [&](std::vector<char> const& is_left) {
        double sum = 0;
        for (std::size_t i = 0; i < ranks.size(); ++i) sum += is_left[i] != 0 ? static_cast<double>(ranks[i]) : 0;
        if (distance(sum, expected_sum) >= distance(left_sum, expected_sum)) ++extreme;
        ++divisions;
      });
  return are_all ? extreme / divisions : approximate_p(ranks, left.size(), left_sum, expected_sum);
}

double smallest_mann_whitney_p(std::size_t left, std::size_t right) {
  std::vector<double> values(left + right);
  std::iota(values.begin(), values.end(), 0.0);
  return mann_whitney_p(std::span(values).first(left), std::span(values).last(right));
}

std::vector<double> permutation_p(Lines const& lines, std::size_t left) {
  if (lines.empty()) return {};
  std::size_t const runs = lines.front().size();
  std::vector<Welch> const tests(lines.begin(), lines.end());
  auto const left_runs = static_cast<double>(left);
  std::vector<double> seen;
  std::vector<char> as_seen(runs, 0);
  std::fill_n(as_seen.begin(), left, char{1});
  for (Welch const& test : tests) seen.push_back(test(as_seen, left_runs));
  constexpr std::size_t most_values = 100'000'000, fewest_ways = 999;
  std::size_t const most = std::clamp(most_values / (runs * lines.size()), fewest_ways, most_divisions);
  std::vector<double> largest, largest_on_one_side;  // the largest t of any line, by division
  bool const are_all = for_each_division(runs, left, most, [&](std::vector<char> const& is_left) {
    double of_any = 0, of_any_on_one_side = 0;
    for (std::size_t i = 0; i < tests.size(); ++i) {
      double const t = tests[i](is_left, left_runs);
      of_any = std::max(of_any, t);
      if (t > of_any_on_one_side && is_on_one_side(lines[i], is_left)) of_any_on_one_side = t;
    }
    largest.push_back(of_any);
    largest_on_one_side.push_back(of_any_on_one_side);
  });
  std::ranges::sort(largest);
  std::ranges::sort(largest_on_one_side);
  std::vector<double> p;
  for (std::size_t i = 0; i < tests.size(); ++i) {
    std::vector<double> const& others = is_on_one_side(lines[i], as_seen) ? largest_on_one_side : largest;
    // Allows for rounding, which must not distinguish a division from its mirror image.
    auto const as_large = static_cast<double>(others.end() - std::ranges::lower_bound(others, seen[i] * (1 - 1e-9)));
    double const more = are_all ? 0 : 1;  // that of the runs themselves
    p.push_back((as_large + more) / (static_cast<double>(others.size()) + more));
  }
  return p;
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
  double const p = students_p(coefficient, x.size());
  return Correlation{coefficient, p, p};
}

std::optional<Correlation> spearman(std::vector<double> const& x, std::vector<double> const& y) {
  if (!are_comparable(x, y)) return std::nullopt;
  auto const ranks = [](std::vector<double> const& values) {
    std::vector<std::size_t> const doubled = double_ranks(values);
    return std::vector<double>(doubled.begin(), doubled.end());
  };
  auto correlation = pearson(ranks(x), ranks(y));
  if (x.size() <= most_pairs_to_permute) correlation->p = order_p(ranks(x), ranks(y));
  return correlation;
}

std::optional<double> slope(std::vector<double> const& x, std::vector<double> const& y) {
  if (!are_comparable(x, y)) return std::nullopt;
  return boost::math::statistics::covariance(x, y) / boost::math::statistics::variance(x);
}

}  // namespace mpisee_through
