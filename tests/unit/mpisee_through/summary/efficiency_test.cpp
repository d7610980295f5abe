#include "summary/efficiency.hpp"

#include <catch2/catch.hpp>

#include "support/temporary_profile.hpp"

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

TEST_CASE("communication efficiency is serialisation times transfer") {
  Efficiency efficiency;
  efficiency.add_rank(10, 4);
  efficiency.add_rank(10, 8);
  CHECK_FALSE(efficiency.serialisation());
  CHECK_FALSE(efficiency.transfer());
  // Without transfer, the run would take 8 s; the longest rank computes 6 of 10 s.
  efficiency.set_time_without_transfer({.time_s = 8, .error_s = 0.4, .unknown_share = 0});
  CHECK(*efficiency.serialisation() == Approx(0.75));
  CHECK(*efficiency.transfer() == Approx(0.8));
  CHECK(*efficiency.communication() == Approx(*efficiency.serialisation() * *efficiency.transfer()));
  CHECK(*efficiency.relative_error() == Approx(0.05));
}

TEST_CASE("without time there is no efficiency") {
  Efficiency efficiency;
  CHECK_FALSE(efficiency.parallel().has_value());
  efficiency.add_rank(2, 2);  // nothing useful
  CHECK(*efficiency.parallel() == 0);
  CHECK_FALSE(efficiency.load_balance().has_value());
  CHECK(*efficiency.communication() == 0);
}

TEST_CASE("of ranks with several threads, the useful time is the mean over the threads that call MPI") {
  TemporaryProfile const files;
  // Rank 0: 4 threads with 2 s each of 10 s in MPI; rank 1: 8 threads with 4 s each. Useful: 8 s and 6 s.
  files.write("ranks.csv", "rank,host,pid,cpus,threads,wall_s,mpi_s\n0,host,1,0-3,4,10,8\n1,host,2,4-7,8,10,32\n");
  auto const summary = files.summarise();
  CHECK(summary.efficiency.parallel() == 0.7);
  CHECK(*summary.efficiency.load_balance() == Approx(7.0 / 8));
  CHECK(*summary.efficiency.communication() == Approx(0.8));
  // 8 + 32 s of 40 + 80 s
  CHECK(*summary.mpi_share() == Approx(1.0 / 3));
  CHECK(summary.times_of_rank[1].mpi_share() == 0.4);
}

TEST_CASE("threads that start after others have ended are one") {
  TemporaryProfile const files;
  files.write("ranks.csv",
              "rank,host,pid,cpus,threads,wall_s,mpi_s,threads_at_once\n0,host,1,0,1000,10,8,1\n1,host,2,1,1,10,2,1\n");
  CHECK(files.summarise().efficiency.parallel() == 0.5);  // 2 and 8 s of 10
}
