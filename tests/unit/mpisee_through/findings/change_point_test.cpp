#include "findings/change_point.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

using namespace mpisee_through;

namespace {

constexpr double least = 0.1;

// Runs without a change: a share around a level, with noise of which each value keeps a part of the one before.
std::vector<double> noise(std::mt19937& random, std::size_t count, double kept, double deviation) {
  std::normal_distribution<double> normal;
  std::vector<double> values;
  double state = normal(random);
  for (std::size_t i = 0; i < count; ++i) {
    values.push_back(std::clamp(0.3 + deviation * state, 0.0, 1.0));
    state = kept * state + std::sqrt(1 - kept * kept) * normal(random);
  }
  return values;
}

}  // namespace

TEST_CASE("a step is found in its window, with its levels") {
  std::vector<double> values(200, 0.05);
  for (std::size_t i = 124; i < values.size(); ++i) values[i] = 0.4;
  auto const change = find_change(values, least);
  REQUIRE(change);
  CHECK(change->first == 124);
  CHECK(change->before == Approx(0.05));
  CHECK(change->after == Approx(0.4));
}

TEST_CASE("a step is found in noise, in its window or a neighbour") {
  std::mt19937 random(7);
  for (int run = 0; run < 100; ++run) {
    std::vector<double> values = noise(random, 200, 0.5, 0.03);
    for (std::size_t i = 80; i < values.size(); ++i) values[i] += 0.3;
    auto const change = find_change(values, least);
    REQUIRE(change);
    CHECK(std::abs(static_cast<int>(change->first) - 80) <= 1);
  }
}

TEST_CASE("fewer than 1 in 100 runs with correlated noise have a change") {
  std::mt19937 random(1);
  int runs = 0, found = 0;
  for (double const kept : {0.0, 0.5, 0.8, 0.9, 0.95}) {
    for (double const deviation : {0.03, 0.1, 0.2}) {
      for (int run = 0; run < 200; ++run, ++runs)
        found += find_change(noise(random, 200, kept, deviation), least) ? 1 : 0;
    }
  }
  CHECK(found * 100 < runs);
}

TEST_CASE("fewer than 1 in 100 runs with two phases that repeat have a change") {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> part(0, 1);
  int const runs = 1000;
  int found = 0;
  for (int run = 0; run < runs; ++run) {
    std::vector<double> values = noise(random, 200, 0.5, 0.03);
    double const period = 3 + 60 * part(random), begin = part(random) * period, share = part(random);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::fmod(static_cast<double>(i) + begin, period) < share * period) values[i] += 0.4;
    found += find_change(values, least) ? 1 : 0;
  }
  CHECK(found * 100 < runs);
}

TEST_CASE("neither the start nor the end of a run, nor a slow growth, nor a burst is a change") {
  std::vector<double> values(160, 0.1);
  for (std::size_t i = 0; i < 8; ++i) values[i] = values[159 - i] = 0.9;
  CHECK_FALSE(find_change(values, least));
  std::vector<double> growth, burst(160, 0.1);
  for (int i = 0; i < 160; ++i) growth.push_back(0.1 + 0.004 * i);
  CHECK_FALSE(find_change(growth, least));
  for (std::size_t i = 60; i < 80; ++i) burst[i] = 0.9;
  CHECK_FALSE(find_change(burst, least));
  CHECK_FALSE(find_change(std::vector<double>(20, 0.1), least));
}
