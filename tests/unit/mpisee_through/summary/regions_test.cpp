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
  // with what is inside: solve 2 + 1 + 4 s, main 1 + 2 s, io 0.5 s
  CHECK(shape(all) == "solve\n  halo\nmain\nio -\n  write\n");
  RegionSummary const& solve = all.regions[0];
  CHECK(solve.totals.ranks == 2);
  CHECK(solve.totals.entered == 4);
  CHECK(solve.totals.wall_s == 3);
  CHECK(solve.totals.wall_mean_s() == 1.5);
  CHECK(solve.totals.wall_max_s == 2);
  CHECK(solve.totals.mpi_s == 1);
  CHECK(solve.totals.mpi_share() == 1.0 / 3);
  CHECK(solve.with_inner_s == 7);
  RegionSummary const& halo = all.regions[1];
  CHECK(halo.path == "solve/halo");
  CHECK(halo.totals.ranks == 1);
  CHECK(halo.totals.wall_mean_s() == 4);  // over the rank that entered it
  CHECK(halo.with_inner_s == 4);
}

TEST_CASE("regions are selected by path and rank") {
  CHECK(shape(regions({.regions = {"solve/*"}})) == "solve -\n  halo\n");
  CHECK(shape(regions({.regions = {"main"}})) == "main\n");
  Regions const of_one = regions({.ranks = RankSet::parse("1")});
  CHECK(shape(of_one) == "main\nsolve\n");
  CHECK(of_one.regions[1].with_inner_s == 1);
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
  CHECK_THROWS_WITH(add_up_regions(Profile(files.path()), {}), Catch::Contains("regions.csv:2: more regions inside"));
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
