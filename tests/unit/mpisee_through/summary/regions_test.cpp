#include "summary/regions.hpp"

#include <catch2/catch.hpp>

#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

TemporaryProfile two_ranks() {
  return TemporaryProfile({.regions = {{
                               "main,0,1,1,0.5",
                               "solve,0,2,2,1",
                               "solve/halo,0,4,4,2",
                               "io/write,0,1,0.5,0",
                               "main,1,1,2,0.5",
                               "solve,1,2,1,0",
                           }}});
}

Regions regions(Selection const& selection = {}) {
  TemporaryProfile const files = two_ranks();
  return add_up_regions(Profile(files.path()), selection);
}

std::string shape(Regions const& all) {
  std::string text;
  for (RegionSummary const& region : all.regions) {
    text += std::string(2 * region.depth, ' ') + std::string(region.name()) + (region.selected ? "\n" : " -\n");
  }
  return text;
}

}  // namespace

TEST_CASE("regions are summed over ranks and stand below the one they are in, by falling time") {
  Regions const all = regions();
  // including the regions inside: solve 2 + 1 + 4 s, main 1 + 2 s, io 0.5 s
  CHECK(shape(all) == "solve\n  halo\nmain\nio -\n  write\n");
  RegionSummary const& solve = all.regions[0];
  CHECK(solve.exclusive.ranks == 2);
  CHECK(solve.exclusive.entered == 4);
  CHECK(solve.exclusive.wall_s == 3);
  CHECK(solve.exclusive.wall_mean_s() == 1.5);
  CHECK(solve.exclusive.wall_max_s == 2);
  CHECK(solve.exclusive.mpi_s == 1);
  CHECK(solve.exclusive.mpi_share() == 1.0 / 3);
  CHECK(solve.inclusive.wall_s == 7);
  RegionSummary const& halo = all.regions[1];
  CHECK(halo.path == "solve/halo");
  CHECK(halo.exclusive.ranks == 1);
  CHECK(halo.exclusive.wall_mean_s() == 4);  // over the rank that entered it
  CHECK(halo.inclusive.wall_s == 4);
}

TEST_CASE("a region's inclusive times are those of each rank in it and in the regions inside") {
  RegionTotals const solve = regions().regions[0].inclusive;
  CHECK(solve.ranks == 2);
  CHECK(solve.entered == 4);     // of solve alone
  CHECK(solve.wall_max_s == 6);  // rank 0: 2 + 4 s
  CHECK(solve.wall_mean_s() == 3.5);
  CHECK(solve.mpi_s == 3);  // 1 + 2 s of rank 0
  CHECK(solve.mpi_share() == 3.0 / 7);
  // Outside MPI, rank 0 has 6 - 3 s and rank 1 has 1 s: 2 s on average, of 3 s and of 6 s.
  CHECK(solve.efficiency.load_balance() == 2.0 / 3);
  CHECK(solve.efficiency.communication() == 3.0 / 6);
  CHECK(solve.efficiency.parallel() == 2.0 / 6);
  CHECK(regions().regions[0].exclusive.efficiency.load_balance() == 1);
}

TEST_CASE("a region's efficiency is that of the threads of its ranks") {
  TemporaryProfile const files({.regions = {{"solve,0,1,10,8", "solve,1,1,10,2"}}});
  files.write("ranks.csv", "rank,host,pid,cpus,threads,wall_s,mpi_s\n0,host,1,0-3,4,10,8\n1,host,2,4,1,10,2\n");
  RegionTotals const solve = add_up_regions(Profile(files.path()), {}).regions[0].inclusive;
  CHECK(solve.efficiency.parallel() == 0.8);
  CHECK(solve.mpi_share() == 0.2);  // 10 s of 40 s and 10 s
}

TEST_CASE("a region in MPI does not stand below its parent with a better efficiency") {
  // solve does nothing but call halo, which is in MPI for 85 % of its time.
  TemporaryProfile const files(
      {.regions = {{"solve,0,1,1,0", "solve/halo,0,1,99,85", "solve,1,1,1,0", "solve/halo,1,1,99,85"}}});
  RegionSummary const solve = add_up_regions(Profile(files.path()), {}).regions[0];
  CHECK(solve.exclusive.efficiency.parallel() == 1);
  CHECK(solve.inclusive.efficiency.parallel() == 0.15);
  CHECK(solve.inclusive.mpi_share() == 0.85);
}

TEST_CASE("regions are arranged below their parents, the top ones of all with the parents alone") {
  Regions const all = regions();
  auto const arranged = [&](SortKey key, std::optional<std::size_t> top, RegionTimes times = RegionTimes::inclusive) {
    return shape(arrange_regions(all, {key, top}, times));
  };
  CHECK(arranged(SortKey::time, {}) == "solve\n  halo\nmain\nio -\n  write\n");
  CHECK(arranged(SortKey::name, {}) == "io -\n  write\nmain\nsolve\n  halo\n");
  CHECK(arranged(SortKey::calls, {}) == "solve\n  halo\nmain\nio -\n  write\n");
  // inclusive: solve 7 s, halo 4 s, main 3 s; exclusive: halo 4 s, solve and main 3 s
  CHECK(arranged(SortKey::time, 1) == "solve\n");
  CHECK(arranged(SortKey::time, 2) == "solve\n  halo\n");
  CHECK(arranged(SortKey::time, 1, RegionTimes::exclusive) == "solve -\n  halo\n");
  CHECK(arranged(SortKey::name, 1) == "io -\n  write\n");
  // load balance: solve 2/3; main 1 and 1.5 s: 5/6
  CHECK(arranged(SortKey::imbalance, 2) == "solve\nmain\n");
  CHECK(arrange_regions(all, {SortKey::time, 1}, RegionTimes::inclusive).left_out == 3);
  CHECK(arrange_regions(all, {}, RegionTimes::inclusive).left_out == 0);
}

TEST_CASE("regions are selected by path and rank") {
  CHECK(shape(regions({.regions = {"solve/*"}})) == "solve -\n  halo\n");
  CHECK(shape(regions({.regions = {"main"}})) == "main\n");
  Regions const of_one = regions({.ranks = RankSet::parse("1")});
  CHECK(shape(of_one) == "main\nsolve\n");
  CHECK(of_one.regions[1].inclusive.wall_s == 1);
  // Regions inside count, selected or not.
  CHECK(regions({.regions = {"solve"}}).regions[0].inclusive.wall_s == 7);
  CHECK(shape(regions({.regions = {"io/write"}, .ranks = RankSet::parse("1")})).empty());
  CHECK_THROWS_WITH(regions({.regions = {"halo"}}), "--region: no region of the profile matches \"halo\"");
}

TEST_CASE("odd paths are only names") {
  TemporaryProfile const files({.regions = {{"/,0,1,1,0", "a//b,0,1,1,0", "a-b,0,1,1,0", "\x1b,0,1,1,0"}}});
  Regions const all = add_up_regions(Profile(files.path()), {});
  CHECK(all.regions.size() == 6);  // a and a/ besides
}

TEST_CASE("a path of too many regions is turned down") {
  TemporaryProfile const files({.regions = {{std::string(100'000, '/') + ",0,1,1,0"}}});
  CHECK_THROWS_WITH(add_up_regions(Profile(files.path()), {}),
                    Catch::Contains("regions.csv:2: regions are nested deeper"));
}

TEST_CASE("a region selects calls, and one without calls has none") {
  TemporaryProfile const files(
      {.operations = {"main,W,2,0,Send,8,15,2,16,0,1,1,1", "solve,W,2,0,Send,8,15,1,8,0,0.5,0.5,0.5"},
       .regions = {{"main,0,1,1,1", "solve,0,1,1,0.5", "idle,0,1,1,0"}}});
  Summary const solve = files.summarise({.regions = {"solve"}});
  CHECK(solve.communicators[0].totals.calls == 1);
  CHECK(solve.communicators[0].totals.time_s == 0.5);
  CHECK(solve.operations_s == 1.5);  // shares stay parts of the whole
  CHECK(files.summarise({.regions = {"idle"}}).communicators[0].totals.calls == 0);
  CHECK_THROWS_WITH(files.summarise({.regions = {"main", "x*"}}), "--region: no region of the profile matches \"x*\"");
}
