#include "comparison/statistics.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <span>

using namespace mpisee_through;

namespace {

using Values = std::vector<double>;

Values random_values(std::mt19937& random, std::size_t count, int different) {
  Values values(count);
  for (double& value : values) value = std::uniform_int_distribution<int>(1, different)(random);
  return values;
}

// U by its definition: the number of pairs in which the left value is greater; equal pairs count half.
double u_of(Values const& left, Values const& right) {
  double u = 0;
  for (double const one : left) {
    for (double const other : right) u += one > other ? 1 : one == other ? 0.5 : 0;
  }
  return u;
}

// The p value by its definition: over all ways to choose which values are the left ones.
double p_by_enumeration(Values const& left, Values const& right) {
  Values all = left;
  all.insert(all.end(), right.begin(), right.end());
  double const expected = static_cast<double>(left.size() * right.size()) / 2;
  double const seen = std::abs(u_of(left, right) - expected);
  int ways = 0;
  int extreme = 0;
  std::vector<int> is_left(all.size(), 0);
  std::fill(is_left.end() - static_cast<std::ptrdiff_t>(left.size()), is_left.end(), 1);
  do {
    Values chosen;
    Values others;
    for (std::size_t i = 0; i < all.size(); ++i) (is_left[i] == 1 ? chosen : others).push_back(all[i]);
    ++ways;
    if (std::abs(u_of(chosen, others) - expected) >= seen) ++extreme;
  } while (std::ranges::next_permutation(is_left).found);
  return static_cast<double>(extreme) / ways;
}

}  // namespace

TEST_CASE("a distribution has the quartiles that R and pandas give") {
  Distribution const four = describe({8, 1, 4, 2});
  CHECK(four.mean == 3.75);
  CHECK(four.lower_quartile == 1.75);  // R: quantile(c(1, 2, 4, 8))
  CHECK(four.median == 3);
  CHECK(four.upper_quartile == 5);
  CHECK(four.min == 1);
  CHECK(four.max == 8);
  Distribution const one = describe({2.5});
  for (double const value : {one.mean, one.lower_quartile, one.median, one.upper_quartile, one.min, one.max}) {
    CHECK(value == 2.5);
  }
}

TEST_CASE("Mann-Whitney: small samples are exact, with ties too") {
  std::mt19937 random(1947);
  for (int i = 0; i < 200; ++i) {
    std::size_t const left = 1 + random() % 5;
    std::size_t const right = 1 + random() % 5;
    int const different = 1 + static_cast<int>(random() % 8);
    Values const x = random_values(random, left, different);
    Values const y = random_values(random, right, different);
    REQUIRE(mann_whitney_p(x, y) == Approx(p_by_enumeration(x, y)));
    REQUIRE(mann_whitney_p(y, x) == mann_whitney_p(x, y));
  }
}

TEST_CASE("Mann-Whitney: large samples are approximated as in R") {
  Values x;
  Values y;
  for (int i = 1; i <= 20; ++i) {
    x.push_back(i);
    y.push_back(i + 4.5);
  }
  CHECK(mann_whitney_p(x, y) == Approx(0.0315171).epsilon(1e-5));  // R: wilcox.test(x, y, exact=FALSE)
  Values ties_x(10, 1);
  ties_x.resize(20, 2);
  Values ties_y(5, 1);
  ties_y.resize(20, 2);
  CHECK(mann_whitney_p(ties_x, ties_y) == Approx(0.1104158).epsilon(1e-5));
  CHECK(mann_whitney_p(Values(20, 7), Values(20, 7)) == 1);
}

TEST_CASE("p is adjusted for many tests as by R's p.adjust(method=\"BH\")") {
  auto const adjusted = adjust_for_many_tests({0.01, 0.04, std::nullopt, 0.03, 0.5});
  REQUIRE(adjusted.size() == 5);
  CHECK(*adjusted[0] == Approx(0.04));      // 0.01 * 4 / 1
  CHECK(*adjusted[1] == Approx(0.16 / 3));  // 0.04 * 4 / 3
  CHECK_FALSE(adjusted[2].has_value());
  CHECK(*adjusted[3] == Approx(0.16 / 3));  // 0.03 * 4 / 2 = 0.06, but no more than that of the greater p
  CHECK(*adjusted[4] == Approx(0.5));
  CHECK(adjust_for_many_tests({}).empty());
  CHECK(*adjust_for_many_tests({0.2})[0] == 0.2);
}

namespace {

double spearman_p_by_enumeration(Values const& x, Values y) {
  double const seen = std::abs(spearman(x, y)->coefficient);
  std::vector<std::size_t> order(y.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  int orders = 0, extreme = 0;
  do {
    Values permuted;
    for (std::size_t const i : order) permuted.push_back(y[i]);
    ++orders;
    if (std::abs(spearman(x, permuted)->coefficient) >= seen - 1e-9) ++extreme;
  } while (std::ranges::next_permutation(order).found);
  return static_cast<double>(extreme) / orders;
}

}  // namespace

TEST_CASE("of many lines, one that stands out from all has the p of one line") {
  std::mt19937 random(7);
  std::normal_distribution<double> scatter(1, 0.05);
  Lines lines(40, Values(8));
  for (Values& line : lines)
    for (double& value : line) value = scatter(random);
  for (std::size_t run = 4; run < 8; ++run) lines[17][run] *= 10;
  std::vector<double> const p = permutation_p(lines, 4);
  CHECK(p[17] == Approx(2.0 / 70));
  CHECK(std::ranges::count_if(p, [](double one) { return one <= 0.05; }) == 1);

  CHECK(permutation_p({{1, 1, 2, 2}}, 2)[0] == Approx(2.0 / 6));  // no scatter
  CHECK(permutation_p({{3, 3, 3, 3}}, 2)[0] == 1);
  CHECK(permutation_p({}, 2).empty());
}

TEST_CASE("a line that is on one side only has the p of one line, whatever the scatter of the others") {
  // In the first line, runs 0, 2, 4 and 6 take as long as each other, and so do the others: the division into these
  // and its mirror image differ most. The second line is there in the runs of the left side, and scatters.
  Lines lines{{1, 2, 1, 2, 1, 2, 1, 2}, {1, 2, 3, 4, 0, 0, 0, 0}};
  CHECK(permutation_p(lines, 4)[1] == Approx(2.0 / 70));
  // Another line is on one side of another division, and differs more there.
  lines.push_back({9, 0, 9, 0, 9, 0, 9, 0});
  CHECK(permutation_p(lines, 4)[1] == Approx(4.0 / 70));
  lines.back() = {9, 0, 9, 0, 9, 0, 9, 9};  // on no side
  CHECK(permutation_p(lines, 4)[1] == Approx(2.0 / 70));
}

TEST_CASE("many runs are divided at random, and give the same p each time") {
  Lines lines(3, Values(40));
  for (std::size_t run = 0; run < 40; ++run) {
    lines[0][run] = static_cast<double>(run % 7);
    lines[1][run] = static_cast<double>(run % 5) + (run < 20 ? 0 : 30);
    lines[2][run] = static_cast<double>(run % 3);
  }
  std::vector<double> const p = permutation_p(lines, 20);
  CHECK(p[1] < 0.001);
  CHECK(p[0] > 0.05);
  CHECK(p == permutation_p(lines, 20));
}

TEST_CASE("correlations are those of R's cor.test") {
  Values const x{10, 11, 12, 14, 13};
  Values const y{1, 3, 2, 5, 9};
  // Deviations from the means 12 and 4: the products add up to 6 + 1 + 0 + 2 + 5 = 14, the squares to 10 and 40.
  CHECK(pearson(x, y)->coefficient == Approx(0.7));
  CHECK(pearson(x, y)->p == Approx(0.1881204).epsilon(1e-6));
  CHECK(*slope(x, y) == Approx(1.4));
  CHECK(spearman(x, y)->coefficient == Approx(0.8));
  CHECK(spearman(x, y)->p == Approx(16.0 / 120));  // of the 120 orders of five
  Values const ten{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  Values const other{2, 1, 4, 3, 7, 8, 6, 5, 10, 9};
  CHECK(spearman(ten, other)->coefficient == Approx(0.8545455).epsilon(1e-6));
  CHECK(spearman(ten, other)->p == Approx(0.001636803).epsilon(1e-6));
  Values const ties{1, 2, 2, 3};
  Values const more_ties{1, 3, 2, 2};
  CHECK(spearman(ties, more_ties)->coefficient == Approx(0.5));
  CHECK(spearman(ties, more_ties)->p == Approx(spearman_p_by_enumeration(ties, more_ties)));
  CHECK(spearman({1, 1, 2}, {5, 5, 9})->p == Approx(1.0 / 3));
}

TEST_CASE("correlations at their limits") {
  Values const x{1, 2, 3};
  CHECK(pearson(x, {2, 4, 6})->coefficient == Approx(1));
  CHECK(pearson(x, {6, 4, 2})->coefficient == Approx(-1));
  // Three values have six orders, two of which are as far from chance as they can be.
  CHECK(spearman(x, {1, 4, 9})->p == Approx(1.0 / 3));
  CHECK_FALSE(pearson({1, 2}, {1, 2}).has_value());
  CHECK_FALSE(spearman({1, 2}, {1, 2}).has_value());
  CHECK_FALSE(pearson({2, 2, 2}, x).has_value());
  CHECK_FALSE(spearman(x, {2, 2, 2}).has_value());
  CHECK_FALSE(slope({2, 2, 2}, x).has_value());
}
