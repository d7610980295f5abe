#include "message_waits/message_rows.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <set>

using namespace commprof;

namespace {

constexpr int instants_of_run = 2000, late_streams = 60, other_streams = 3000;

// Half of the instants lie in the waiting for few streams, the others in calls of many streams that do not wait.
// Nothing is known of streams that are not kept.
MessageRow row_of_run(std::mt19937& random, double kept_share) {
  std::bernoulli_distribution is_kept(kept_share), is_late(0.5);
  std::set<int> left_out;
  for (int stream = 0; stream < late_streams + other_streams; ++stream)
    if (!is_kept(random)) left_out.insert(stream);
  MessageRow row;
  for (int i = 0; i < instants_of_run; ++i) {
    bool const waits = is_late(random);
    int const number = static_cast<int>(random() % static_cast<unsigned>(waits ? late_streams : other_streams));
    int const stream = waits ? number : late_streams + number;
    if (left_out.contains(stream)) row.unknown += 1;
    else row.add_known(random(), static_cast<std::uint64_t>(stream), 1, waits);
  }
  return row;
}

// Part of the estimates that are within two standard errors.
double share_within(double kept_share) {
  constexpr int runs = 400;
  std::mt19937 random(3);
  int within = 0;
  for (int run = 0; run < runs; ++run) {
    MessageRow const row = row_of_run(random, kept_share);
    if (std::abs(row.share() - 0.5) <= 2 * row.error()) ++within;
  }
  return static_cast<double>(within) / runs;
}

}  // namespace

TEST_CASE("the error of a share covers the choice of instants, and that of streams where not all are known") {
  CHECK(share_within(1) > 0.9);
  // Instants alone: 15 ± 3.4 late streams are known, so the share varies by 0.25 * 22 %, 2.5 times their error.
  CHECK(share_within(0.25) > 0.9);
}

TEST_CASE("if all is known, streams do not add to the error") {
  std::mt19937 random(4);
  MessageRow const row = row_of_run(random, 1);
  CHECK(row.error() == Approx(row.error_of_instants()));
  // The square root of p (1 - p) / n, estimated from 32 groups.
  CHECK(row.error() == Approx(std::sqrt(0.25 / instants_of_run)).epsilon(0.4));
}
