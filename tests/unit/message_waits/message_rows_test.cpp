#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "message_waits/own_message_waits.hpp"

using namespace commprof;

namespace {

constexpr int instants_of_run = 2000;

// Half of the instants lie in waiting calls, each instant in a call of its own. Two processes have a part of the
// instants each.
MessageRow row_of_run(std::mt19937& random, double kept_share) {
  std::bernoulli_distribution is_kept(kept_share), is_late(0.5);
  MessageRow rows[2];
  for (int i = 0; i < instants_of_run; ++i) {
    MessageRow& row = rows[i % 2];
    bool const waits = is_late(random);
    MessageRow::CallWeight call;
    if (!is_kept(random)) row.add_unknown(call, 1);
    else row.add_known(call, random(), 1, waits);
  }
  rows[0] += rows[1];
  return rows[0];
}

// Each call awaits a stream of its own. Five of 20 long calls, which have four of five instants, do not wait. All
// short ones do.
MessageRow row_of_long_calls(std::mt19937& random, double kept_share) {
  constexpr int long_calls = 20, of_long_call = 40, short_calls = 200, without_waiting = 5;
  std::bernoulli_distribution is_kept(kept_share);
  MessageRow row;
  for (int i = 0; i < long_calls + short_calls; ++i) {
    bool const is_known = is_kept(random);
    MessageRow::CallWeight call;
    for (int instant = 0; instant < (i < long_calls ? of_long_call : 1); ++instant)
      if (is_known) row.add_known(call, random(), 1, i >= without_waiting);
      else row.add_unknown(call, 1);
  }
  return row;
}

// Part of the estimates that are within two standard errors.
template <class RowOf>
double share_within(double share, double kept_share, RowOf&& row_of) {
  constexpr int runs = 400;
  std::mt19937 random(3);
  int within = 0;
  for (int run = 0; run < runs; ++run) {
    MessageRow const row = row_of(random, kept_share);
    if (std::abs(row.share() - share) <= 2 * row.error()) ++within;
  }
  return static_cast<double>(within) / runs;
}

}  // namespace

TEST_CASE("the error of a share covers the choice of instants, and of calls where not all are known") {
  CHECK(share_within(0.5, 1, row_of_run) > 0.9);
  CHECK(share_within(0.5, 0.25, row_of_run) > 0.9);
}

TEST_CASE("the error of a share covers the choice of calls where a few long ones have most of the waiting") {
  CHECK(share_within(0.8, 0.25, row_of_long_calls) > 0.9);
}

TEST_CASE("a call weighs as one, however many instants lie in it") {
  MessageRow row;
  for (int calls = 0; calls < 4; ++calls) {
    MessageRow::CallWeight call;
    for (int i = 0; i < 5; ++i) row.add_known(call, 0, 2, true);
    for (int i = 0; i < 3; ++i) row.add_unknown(call, 1);
  }
  CHECK(row.known_of_calls_squares == Approx(4 * 10 * 10));
  CHECK(row.unknown_of_calls_squares == Approx(4 * 3 * 3));
  // All four wait, and two more of each kind are counted: 6 of 8.
  double const unknown_share = 12.0 / 52;
  CHECK(row.error_of_calls() == Approx(unknown_share * std::sqrt(6.0 / 8 * 2 / 8 * (1.0 / 4 + 1.0 / 4))));
}

TEST_CASE("if all is known, calls do not add to the error") {
  std::mt19937 random(4);
  MessageRow const row = row_of_run(random, 1);
  CHECK(row.error() == Approx(row.error_of_instants()));
  // The square root of p (1 - p) / n, estimated from 32 groups.
  CHECK(row.error() == Approx(std::sqrt(0.25 / instants_of_run)).epsilon(0.4));
}

TEST_CASE("processes that wait at the same moments are not independent where hardly any moment differs") {
  MessageRow row;
  for (int rank = 0; rank < 8; ++rank) {
    MessageRow::CallWeight call;
    for (instants::Cell cell = 0; cell < 26; ++cell) row.add_known(call, cell, 1, true);
  }
  CHECK(row.moments() == Approx(26).epsilon(0.35));
  CHECK(row.error() == Approx(1.0 / 27).epsilon(0.35));
}

TEST_CASE("the error of waiting covers that of a time which is estimated from instants") {
  MessageRow row;
  MessageRow::CallWeight call;
  for (instants::Cell cell = 0; cell < 200; ++cell) row.add_known(call, cell, 1, true);
  row.time_ns = 200;
  double const of_share = row.wait_error_ns();
  row.time_variance = 200;
  CHECK(row.wait_error_ns() == Approx(std::hypot(of_share, std::sqrt(200.0))));
}
