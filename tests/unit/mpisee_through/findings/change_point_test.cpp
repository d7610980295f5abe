#include "findings/change_point.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "support/noise.hpp"

using namespace mpisee_through;

namespace {

constexpr double least = 0.1;

}  // namespace

TEST_CASE("a step is found in its window") {
  std::vector<double> values(200, 0.05);
  for (std::size_t i = 124; i < values.size(); ++i) values[i] = 0.4;
  auto const change = find_change(values, least);
  REQUIRE(change);
  CHECK(change->first == 124);
  CHECK(change->end == 200);
}

TEST_CASE("a part between two steps is found, if the level is the same before and after it") {
  std::vector<double> values(200, 0.05);
  for (std::size_t i = 90; i < 120; ++i) values[i] = 0.4;
  auto const change = find_change(values, least);
  REQUIRE(change);
  CHECK(change->first == 90);
  CHECK(change->end == 120);
  for (std::size_t i = 120; i < values.size(); ++i) values[i] = 0.2;
  CHECK_FALSE(find_change(values, least));
}

TEST_CASE("a step is found in noise, in its window or a neighbour") {
  std::mt19937 random(7);
  for (int run = 0; run < 100; ++run) {
    std::vector<double> values = noise(random, 200, 0.5, 0.02);
    for (std::size_t i = 80; i < values.size(); ++i) values[i] += 0.3;
    auto const change = find_change(values, least);
    REQUIRE(change);
    CHECK(std::abs(static_cast<int>(change->first) - 80) <= 1);
  }
}

TEST_CASE("a step is found where single values differ much, if their means do not") {
  std::vector<double> values;
  for (std::size_t i = 0; i < 256; ++i) values.push_back((i < 160 ? 0.1 : 0.4) + (i % 2 == 0 ? 0.1 : 0));
  auto const change = find_change(values, least);
  REQUIRE(change);
  CHECK(std::abs(static_cast<int>(change->first) - 160) <= 2);
}

TEST_CASE("fewer than 1 in 100 runs without a change have one, however much their noise is correlated") {
  std::mt19937 random(1);
  for (double const kept : {0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0}) {
    for (double const deviation : {0.01, 0.03, 0.1, 0.2}) {
      int found = 0;
      for (std::size_t const count : {100U, 128U, 200U, 256U})
        for (int run = 0; run < 100; ++run) found += find_change(noise(random, count, kept, deviation), least) ? 1 : 0;
      INFO(kept << ' ' << deviation);
      CHECK(found < 4);
    }
  }
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

TEST_CASE("neither the start nor the end of a run, nor a slow growth, nor a brief run has a change") {
  std::vector<double> values(160, 0.1);
  for (std::size_t i = 0; i < 8; ++i) values[i] = values[159 - i] = 0.9;
  CHECK_FALSE(find_change(values, least));
  std::vector<double> growth;
  for (int i = 0; i < 160; ++i) growth.push_back(0.1 + 0.004 * i);
  CHECK_FALSE(find_change(growth, least));
  std::vector<double> brief(99, 0.1);
  for (std::size_t i = 30; i < brief.size(); ++i) brief[i] = 0.9;
  CHECK_FALSE(find_change(brief, least));
}
