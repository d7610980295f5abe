#include "summary/efficiency.hpp"

#include <catch2/catch.hpp>

using mpisee_through::Efficiency;

TEST_CASE("efficiencies of ranks that compute 6, 8 and 4 of 10 s") {
  Efficiency efficiency;
  efficiency.add_rank(10, 4);
  efficiency.add_rank(10, 2);
  efficiency.add_rank(9, 5);
  // The mean of 6, 8 and 4 s is 6 s, the longest wall time 10 s.
  CHECK(efficiency.ranks() == 3);
  CHECK(*efficiency.parallel() == Approx(0.6));
  CHECK(*efficiency.load_balance() == Approx(0.75));
  CHECK(*efficiency.communication() == Approx(0.8));
  CHECK(*efficiency.parallel() == Approx(*efficiency.load_balance() * *efficiency.communication()));
}

TEST_CASE("without time there is no efficiency") {
  Efficiency efficiency;
  CHECK_FALSE(efficiency.parallel().has_value());
  efficiency.add_rank(2, 2);  // nothing useful
  CHECK(*efficiency.parallel() == 0);
  CHECK_FALSE(efficiency.load_balance().has_value());
  CHECK(*efficiency.communication() == 0);
}

TEST_CASE("threads that are in MPI at once leave no negative time") {
  Efficiency efficiency;
  efficiency.add_rank(1, 3);
  efficiency.add_rank(1, 0.5);
  CHECK(efficiency.useful_mean_s() == Approx(0.25));  // of 0 and 0.5 s
}
