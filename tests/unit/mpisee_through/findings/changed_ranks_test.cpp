#include "findings/changed_ranks.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "support/noise.hpp"

using namespace mpisee_through;

namespace {

constexpr double length_s = 0.1;
constexpr std::size_t windows = 200;

// A rank that is outside MPI for most of the time, with so many calls in a window. longer: how many times as long it
// computes between calls. Calls are whole ones.
WorkOverTime work(double calls_of_window, std::function<double(std::size_t window)> const& longer) {
  WorkOverTime one;
  double due = 0, made = 0;
  for (std::size_t i = 0; i < windows; ++i) {
    due += calls_of_window / longer(i);
    double const now = std::floor(due - made);
    made += now;
    one.calls.push_back(now);
    one.useful_s.push_back(0.9 * length_s);
  }
  return one;
}

WorkOverTime steady(double calls) {
  return work(calls, [](std::size_t) { return 1.0; });
}
WorkOverTime slower(double calls, std::size_t first, std::size_t end, double times = 3) {
  return work(calls, [=](std::size_t i) { return first <= i && i < end ? times : 1; });
}

std::vector<WorkOverTime> steady_ranks(std::size_t ranks, double calls) {
  return std::vector<WorkOverTime>(ranks, steady(calls));
}

// A job without a change of one rank: noise that is more or less correlated, of ranks with more or fewer calls, which
// may have phases in common.
std::vector<WorkOverTime> clean_job(std::mt19937& random, std::size_t ranks) {
  auto const one_of = [&](auto const&... values) {
    std::array const choices{values...};
    return choices[std::uniform_int_distribution<std::size_t>(0, choices.size() - 1)(random)];
  };
  double const kept = one_of(0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 1.0);
  double const deviation = one_of(0.01, 0.03, 0.1, 0.2), calls = one_of(0.7, 3.0, 40.0);
  double const in_common = one_of(0.0, 0.0, 1.0, 3.0), own = one_of(0.0, 0.0, 1.0);
  std::size_t const period = one_of(2U, 9U, 40U, 150U);
  std::vector<double> const shared = noise(random, windows, kept, deviation);
  std::vector<WorkOverTime> all;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::vector<double> const alone = noise(random, windows, kept, deviation);
    double const level = own * static_cast<double>(rank % 3), part = own * static_cast<double>(rank % 2);
    all.push_back(work(calls, [&](std::size_t i) {
      bool const is_late = i / period % 2 == 1;
      double const phase = is_late ? 1 + 0.3 * part : 0;
      return std::exp2(5 * (alone[i] - 0.3) + in_common * (5 * (shared[i] - 0.3) + phase) + level);
    }));
  }
  return all;
}

constexpr double window_s = 0.016777216;

// Four ranks that meet after each of 200 steps; the last computes four times as long from the 160th on. The first step
// begins so long after a window does.
std::vector<WorkOverTime> steps_of_10_ms(double begin_s) {
  constexpr double step_s = 0.01, slow_s = 0.03, call_s = 0.0001;
  std::vector<double> const nothing(static_cast<std::size_t>((begin_s + 200 * step_s + 40 * slow_s) / window_s) + 1);
  std::vector<WorkOverTime> all(4, {nothing, nothing});
  for (int step = 0; step < 200; ++step) {
    double const all_come_s = begin_s + step_s + (step < 160 ? 0 : slow_s);
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
      double const end_s = rank + 1 == all.size() ? all_come_s - call_s : begin_s + step_s - call_s;
      auto window = static_cast<std::size_t>(begin_s / window_s);
      for (double now_s = begin_s; now_s < end_s; ++window) {
        double const next_s = std::min(end_s, window_s * static_cast<double>(window + 1));
        all[rank].useful_s[window] += next_s - now_s;
        now_s = next_s;
      }
      ++all[rank].calls[static_cast<std::size_t>(all_come_s / window_s)];
    }
    begin_s = all_come_s;
  }
  return all;
}

}  // namespace

TEST_CASE("a rank that becomes slow is found among few and many, in its window or a neighbour") {
  for (std::size_t const ranks : {2U, 4U, 64U, 1024U}) {
    for (double const calls : {1.5, 40.0}) {
      INFO(ranks << ' ' << calls);
      std::vector<WorkOverTime> all = steady_ranks(ranks, calls);
      all[1] = slower(calls, 120, windows);
      auto const found = find_changed_ranks(all, length_s);
      REQUIRE(found);
      CHECK(std::abs(static_cast<int>(found->part.first) - 120) <= 2);
      CHECK(found->part.end == windows);
      CHECK(found->is_within);
      CHECK(found->ranks == std::vector<std::size_t>{1});
      CHECK(found->longer[0] == Approx(3).epsilon(0.1));
      // 68 windows count; a third of their time would have been enough.
      CHECK(found->more_s[0] == Approx(68 * 0.09 * 2 / 3).epsilon(0.1));
    }
  }
}

TEST_CASE("ranks that are slow for a while, or at first, are found together") {
  std::vector<WorkOverTime> all = steady_ranks(8, 20);
  all[2] = slower(20, 80, 120);
  all[5] = slower(20, 80, 120, 4);
  auto const burst = find_changed_ranks(all, length_s);
  REQUIRE(burst);
  CHECK(burst->part.first == 80);
  CHECK(burst->part.end == 120);
  CHECK(burst->ranks == std::vector<std::size_t>{2, 5});
  all = steady_ranks(8, 20);
  all[7] = slower(20, 0, 60);
  auto const begin = find_changed_ranks(all, length_s);
  REQUIRE(begin);
  CHECK_FALSE(begin->is_within);
  CHECK(begin->part.first == 60);
}

TEST_CASE("a rank is not found if others change, too, or if it changes little") {
  std::vector<WorkOverTime> all = steady_ranks(4, 20);
  all[3] = slower(20, 120, windows);
  CHECK(find_changed_ranks(all, length_s));
  all[2] = slower(20, 120, windows);
  CHECK(find_changed_ranks(all, length_s)->ranks.size() == 2);  // half of them
  all[1] = slower(20, 120, windows);
  CHECK_FALSE(find_changed_ranks(all, length_s));
  all[1] = slower(20, 150, windows);  // later
  all[2] = steady(20);
  CHECK_FALSE(find_changed_ranks(all, length_s));
  all[1] = steady(20);
  all[3] = slower(20, 120, windows, 1.2);
  CHECK_FALSE(find_changed_ranks(all, length_s));
  // A slower part on both sides of a faster one.
  all[3] = work(20, [](std::size_t i) { return i < 80 || i >= 120 ? 3.0 : 1.0; });
  CHECK_FALSE(find_changed_ranks(all, length_s));
  // Nothing is known of ranks with few calls.
  all = steady_ranks(4, 20);
  all[3] = slower(0.2, 120, windows);
  CHECK_FALSE(find_changed_ranks(all, length_s));
}

TEST_CASE("fewer than 1 in 100 jobs without a change of a rank have one, with few ranks and many") {
  std::mt19937 random(1);
  for (auto const& [ranks, jobs] :
       {std::pair(2U, 2000), std::pair(4U, 3000), std::pair(64U, 400), std::pair(1024U, 120)}) {
    int found = 0;
    for (int job = 0; job < jobs; ++job) found += find_changed_ranks(clean_job(random, ranks), length_s) ? 1 : 0;
    INFO(ranks << ' ' << found);
    CHECK(found * 100 < jobs);
  }
}

TEST_CASE("a rank is found whose calls are further apart than windows, wherever these begin") {
  for (int begin = 0; begin < 168; ++begin) {
    auto const found = find_changed_ranks(steps_of_10_ms(1e-4 * begin), window_s);
    INFO(begin);
    REQUIRE(found);
    CHECK(found->ranks == std::vector<std::size_t>{3});
  }
}
