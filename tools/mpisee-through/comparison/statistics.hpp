// Statistics for few measurements: location, spread, and the probability that chance alone would produce a difference.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace mpisee_through {

// Statistics of at least one value. Quartiles are interpolated linearly, as in R and pandas.
struct Distribution {
  double mean;
  double median;
  double lower_quartile;
  double upper_quartile;
  double min;
  double max;
};
[[nodiscard]] Distribution describe(std::vector<double> values);

// The two-sided p value of the Mann-Whitney U test: the probability of rank sums that differ at least as much if both
// samples come from one distribution. Exact, with ties, if there are few divisions into two such samples; else a normal
// approximation with corrections for ties and continuity. Neither sample may be empty.
[[nodiscard]] double mann_whitney_p(std::span<double const> left, std::span<double const> right);

// The smallest p value possible with samples of these sizes.
[[nodiscard]] double smallest_mann_whitney_p(std::size_t left, std::size_t right);

// For each line, its values in all runs; runs of the left group come first.
using Lines = std::vector<std::vector<double>>;

// For each of many lines of the same runs, the p value of a difference between the first `left` runs and the others,
// adjusted for all lines: the share of divisions of the runs in which any line has as large a Welch's t. So p does not
// grow with the number of lines if one line stands out. Tries all divisions if they are few, otherwise random ones. The
// probability that any line without a difference gets a p of 0.05 or less is at most 5 % (Westfall and Young's
// single-step procedure). A line that is 0 in all runs of one side and in none of the other, as calls that a program no
// longer makes, is compared with lines of that kind only, also in the other divisions: these are a family of their own,
// with 5 % of their own.
[[nodiscard]] std::vector<double> permutation_p(Lines const& lines, std::size_t left);

// Benjamini and Hochberg's correction for many tests: among the tests with an adjusted p of at most 5 %, 5 % are
// expected to be chance. Entries without p are not tests and stay empty.
[[nodiscard]] std::vector<std::optional<double>> adjust_for_many_tests(std::vector<std::optional<double>> const& p);

struct Correlation {
  double coefficient;  // -1 to 1
  double p;            // two-sided, under no correlation
  double p_adjusted;   // for the tests of a family; p if there is no other
};

// Nothing for fewer than three pairs, or if all values of x or of y are equal. Pearson's p is that of Student's t with
// n - 2 degrees of freedom; Spearman's is exact, with ties, for up to eight pairs, and that of t beyond.
[[nodiscard]] std::optional<Correlation> pearson(std::vector<double> const& x, std::vector<double> const& y);
[[nodiscard]] std::optional<Correlation> spearman(std::vector<double> const& x, std::vector<double> const& y);

// How much y grows when x grows by one, by least squares. Nothing if pearson() gives nothing.
[[nodiscard]] std::optional<double> slope(std::vector<double> const& x, std::vector<double> const& y);

}  // namespace mpisee_through
