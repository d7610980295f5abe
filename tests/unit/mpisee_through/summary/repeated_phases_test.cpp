#include "summary/repeated_phases.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "support/noise.hpp"

using namespace mpisee_through;

namespace {

constexpr double least_step = 0.1;

// High parts of a period; a value on the border is between the levels.
std::vector<double> phases(std::size_t count, double period, double part, double low = 0.1, double high = 0.6) {
  constexpr int fine = 100;
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    int in_high = 0;
    for (int j = 0; j < fine; ++j)
      in_high += std::fmod(static_cast<double>(i) + (j + 0.5) / fine, period) >= (1 - part) * period ? 1 : 0;
    values.push_back(low + (high - low) * in_high / fine);
  }
  return values;
}

}  // namespace

TEST_CASE("phases that repeat are told with their period, their part and their levels") {
  for (double const period : {5.0, 12.0, 17.3, 40.0}) {
    auto const found = find_phases(phases(200, period, 0.4), least_step);
    INFO(period);
    REQUIRE(found);
    CHECK(found->period == Approx(period).epsilon(0.03));
    CHECK(found->part == Approx(0.4).margin(0.06));
    CHECK(found->low == Approx(0.1).margin(0.06));
    CHECK(found->high == Approx(0.6).margin(0.06));
  }
}

TEST_CASE("phases are told through noise, and with periods of slightly different lengths") {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  int found = 0;
  for (int run = 0; run < 100; ++run) {
    std::vector<double> values = noise(random, 200, 0.5, 0.05);
    for (double begin = 0; begin < 200; begin += 20 + normal(random))
      for (double i = begin; i < std::min(begin + 6, 200.0); ++i) values[static_cast<std::size_t>(i)] += 0.4;
    auto const one = find_phases(values, least_step);
    if (one && std::abs(one->period - 20) < 1) ++found;
  }
  CHECK(found >= 95);
}

TEST_CASE("fewer than four full periods, or periods shorter than four values, are no phases") {
  CHECK_FALSE(find_phases(phases(200, 60, 0.5), least_step));
  CHECK_FALSE(find_phases(phases(200, 3.2, 0.5), least_step));
  CHECK_FALSE(find_phases(phases(24, 4, 0.5), least_step));
}

TEST_CASE("levels that are near each other, one change, and a slow growth are no phases") {
  CHECK_FALSE(find_phases(phases(200, 20, 0.5, 0.1, 0.18), least_step));
  std::vector<double> values(200, 0.1);
  for (std::size_t i = 100; i < values.size(); ++i) values[i] = 0.6;
  CHECK_FALSE(find_phases(values, least_step));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 0.004 * static_cast<double>(i);
  CHECK_FALSE(find_phases(values, least_step));
  CHECK_FALSE(find_phases(std::vector<double>(200, 0.3), least_step));
}

TEST_CASE("events without a period are no phases") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> part(0, 1);
  int found = 0;
  for (int run = 0; run < 1000; ++run) {
    std::vector<double> values = noise(random, 200, 0.5, 0.03);
    for (double i = 0; i < 200; i += 8 + 40 * part(random))
      for (double j = i; j < std::min(i + 5, 200.0); ++j) values[static_cast<std::size_t>(j)] += 0.4;
    found += find_phases(values, least_step) ? 1 : 0;
  }
  CHECK(found < 10);
}

TEST_CASE("fewer than 1 in 100 series of noise have phases, however much the noise is correlated") {
  std::mt19937 random(1);
  for (double const kept : {0.0, 0.3, 0.5, 0.8, 0.9, 0.95, 0.98, 1.0}) {
    for (double const deviation : {0.03, 0.1, 0.2, 0.5}) {
      int found = 0;
      for (std::size_t const count : {32U, 64U, 128U, 200U, 256U})
        for (int run = 0; run < 200; ++run)
          found += find_phases(noise(random, count, kept, deviation), least_step) ? 1 : 0;
      INFO(kept << ' ' << deviation);
      CHECK(found < 10);
    }
  }
}

TEST_CASE("phases in words") {
  CHECK(in_words({12.3, 0.31, 0.6, 0.08}) ==
        "The run repeats phases of 12.30 s: in 31.0 % of each the share of MPI is 60.0 %, in the rest 8.0 %.");
}
