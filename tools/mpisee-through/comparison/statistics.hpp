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

// The values of each line in all runs: those on the left come first.
using Lines = std::vector<std::vector<double>>;

// For each of many lines of the same runs, the p of a difference between the first `left` runs and the others, adjusted
// for all lines: the part of the ways to divide the runs that give any line a difference as large in terms of its
// scatter (Welch's t). So it does not grow with the number of lines where one of them stands out from all. All ways are
// tried if they are few, else random ones. The probability that any of the lines without a difference has a p of 0.05
// or less is 5 % at most (Westfall and Young's single-step procedure).
[[nodiscard]] std::vector<double> permutation_p(Lines const& lines, std::size_t left);

// Benjamini and Hochberg's correction for many tests at once: of all that have an adjusted p of at most 5 %, 5 % are
// expected to be chance. Those without p are no tests and stay so.
[[nodiscard]] std::vector<std::optional<double>> adjust_for_many_tests(std::vector<std::optional<double>> const& p);

struct Correlation {
  double coefficient;  // -1 to 1
  double p;            // two-sided, of no correlation at all
};

// Nothing for fewer than three pairs, and where x or y has one value only. Pearson's p is that of Student's t with n -
// 2 degrees of freedom; Spearman's is exact for up to eight pairs, given the ties, and that of t otherwise.
[[nodiscard]] std::optional<Correlation> pearson(std::vector<double> const& x, std::vector<double> const& y);
[[nodiscard]] std::optional<Correlation> spearman(std::vector<double> const& x, std::vector<double> const& y);

// By how much y grows when x grows by one, by least squares. Nothing where pearson() gives nothing.
[[nodiscard]] std::optional<double> slope(std::vector<double> const& x, std::vector<double> const& y);

}  // namespace mpisee_through
