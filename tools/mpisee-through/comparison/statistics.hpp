// What few measurements can tell: a location, a spread, and how likely chance alone would show as much.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace mpisee_through {

// Of at least one value. Quartiles lie between values as in R and pandas (linear interpolation).
struct Distribution {
  double mean;
  double median;
  double lower_quartile;
  double upper_quartile;
  double min;
  double max;
};
[[nodiscard]] Distribution describe(std::vector<double> values);

// Two-sided p of the Mann-Whitney U test: how probable rank sums are that differ at least as much, if both samples come
// from one distribution. Exact, given the ties, for up to 30 values in all; a normal approximation with corrections for
// ties and continuity beyond. Both samples have a value.
[[nodiscard]] double mann_whitney_p(std::span<double const> left, std::span<double const> right);

// The smallest p that samples of these sizes can give.
[[nodiscard]] double smallest_mann_whitney_p(std::size_t left, std::size_t right);

// Benjamini and Hochberg's correction for many tests at once: of all that have an adjusted p of at most 5 %, 5 % are
// expected to be chance. Those without p are no tests and stay so.
[[nodiscard]] std::vector<std::optional<double>> adjust_for_many_tests(std::vector<std::optional<double>> const& p);

struct Correlation {
  double coefficient;  // -1 to 1
  double p;            // two-sided, of no correlation at all
};

// Nothing for fewer than three pairs, and where x or y has one value only. Pearson's p is that of Student's t with n -
// 2 degrees of freedom; Spearman's is exact for up to nine pairs without ties, and that of t otherwise.
[[nodiscard]] std::optional<Correlation> pearson(std::vector<double> const& x, std::vector<double> const& y);
[[nodiscard]] std::optional<Correlation> spearman(std::vector<double> const& x, std::vector<double> const& y);

// By how much y grows when x grows by one, by least squares. Nothing where pearson() gives nothing.
[[nodiscard]] std::optional<double> slope(std::vector<double> const& x, std::vector<double> const& y);

}  // namespace mpisee_through
