#include "scaling/measured_runs.hpp"

#include <catch2/catch.hpp>

#include "scaling/scaling.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

TemporaryProfile::Content content_with_regions(std::uint32_t ranks, std::string const& nested) {
  return {.ranks = ranks,
          .operations = {"main,W,2,0,Barrier,0,0,1,0,0,1,0,1", "solve,W,2,0,Barrier,0,0,1,0,0,0.5,0,1",
                         nested + ",W,2,0,Send,0,0,1,0,0,0.25,0,1"},
          .regions = {{"main,0,1,5,1", "solve,0,1,3,0.5", nested + ",0,1,1,0.25", "solver,0,1,1,0"}}};
}

}  // namespace

TEST_CASE("times of a region have those of the regions inside it") {
  TemporaryProfile const small(content_with_regions(1, "solve/halo"));
  // With a region inside that the other run does not have; a second rank without the region.
  TemporaryProfile const large(content_with_regions(2, "solve/edge"));
  Runs const runs = read_measured_runs({small.path(), large.path()}, "solve");
  REQUIRE(runs.heads.size() == 2);
  for (Overview const& head : runs.heads) {
    CHECK(head.run.wall_s == 4);
    CHECK(head.mpi_s == 0.75);
    CHECK(*head.efficiency.parallel() == Approx(3.25 / 4));
  }
  CommunicatorInRuns const& world = runs.communicators.at("W");
  for (std::size_t run = 0; run < 2; ++run) {
    CHECK(world.all[run]->rank_time_s == 0.75);
    CHECK(world.operations.at("Send")[run]->calls == 1);
  }
  CHECK(scaling_of(runs, std::nullopt).last().communicator_shares.at("W") == Approx(0.75 / 4));
}

TEST_CASE("without a region they are whole runs, and each has to have the region") {
  TemporaryProfile const with(content_with_regions(1, "solve/halo"));
  TemporaryProfile const without;
  CHECK(read_measured_runs({with.path(), without.path()}, "").heads[1].run.wall_s == 10);
  CHECK_THROWS_WITH(read_measured_runs({with.path()}, "sol"),
                    with.path().string() + ": --region: no region of the profile is \"sol\"");
  CHECK_THROWS(read_measured_runs({with.path(), without.path()}, "solve"));
}

TEST_CASE("the name of a region is no pattern") {
  TemporaryProfile const files(
      {.ranks = 1,
       .operations = {"it?,W,1,0,Barrier,0,0,1,0,0,0.5,0,1", "it1,W,1,0,Barrier,0,0,1,0,0,4,0,4"},
       .regions = {{"main,0,1,1,0", "it?,0,1,2,0.5", "it1,0,1,7,4"}}});
  Runs const runs = read_measured_runs({files.path()}, "it?");
  CHECK(runs.heads[0].run.wall_s == 2);
  CHECK(runs.communicators.at("W").all[0]->rank_time_s == 0.5);
}
