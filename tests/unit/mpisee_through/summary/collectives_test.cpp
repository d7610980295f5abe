#include "summary/collectives.hpp"

#include <catch2/catch.hpp>

#include "calls/call_table.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

TEST_CASE("every collective call of the table has a direction, and no other call") {
  for (commprof::calls::Row const& row : commprof::calls::rows) {
    bool const is_collective =
        row.family == commprof::calls::Family::collective || row.family == commprof::calls::Family::neighborhood;
    INFO(row.name);
    CHECK(direction_of(row.name).has_value() == is_collective);
  }
}

TEST_CASE("a collective call has the direction of its plain form") {
  for (char const* name : {"Bcast", "Scatter", "Scatterv", "Ibcast", "Bcast_init", "Iscatterv"}) {
    CHECK(direction_of(name) == Direction::one_to_all);
  }
  for (char const* name : {"Gather", "Gatherv", "Reduce", "Ireduce", "Gatherv_init"}) {
    CHECK(direction_of(name) == Direction::all_to_one);
  }
  for (char const* name : {"Barrier", "Allreduce", "Allgather", "Alltoallw", "Reduce_scatter", "Exscan",
                           "Ineighbor_alltoall", "Neighbor_allgather_init"}) {
    CHECK(direction_of(name) == Direction::all_to_all);
  }
  for (char const* name : {"", "I", "Isend", "Send_init", "Test-none", "Comm_split", "bcast", "IBcast_initx"}) {
    CHECK_FALSE(direction_of(name).has_value());
  }
}

TEST_CASE("calls are summed by communicator and direction, and divided by the processes for operations") {
  TemporaryProfile const files({.ranks = 4,
                                .communicators = {"W_s1.0,W,Comm_split,2,0-1,,,,0"},
                                .operations = {
                                    "main,W,4,0,Bcast,0,0,3,0,0,1,0.25,0.5",
                                    "main,W,4,0,Ibcast,0,0,1,0,0,1,0.25,0.5",
                                    "main,W,4,0,Reduce,8,15,1,8,0,1,1,1",
                                    "main,W,4,0,Send,8,15,1,8,0,1,1,1",
                                    "main,W_s1.0,2,0,Barrier,0,0,5,0,0,1,0.25,0.5",
                                    "main,W,4,1,Bcast,4,7,3,0,12,1,0.25,0.5",
                                    "main,W,4,1,Ibcast,4,7,1,0,4,1,0.25,0.5",
                                    "main,W_s1.0,2,1,Barrier,0,0,4,0,0,1,0.25,0.5",
                                    "main,W,4,2,Bcast,4,7,3,0,12,1,0.25,0.5",
                                    "main,W,4,2,Ibcast,4,7,1,0,4,1,0.25,0.5",
                                    "main,W,4,3,Bcast,4,7,3,0,12,1,0.25,0.5",
                                    "main,W,4,3,Ibcast,4,7,1,0,4,1,0.25,0.5",
                                }});
  Summary const summary = files.summarise();
  std::vector<CollectiveSummary> const all = sum_up_collectives(summary, {});
  REQUIRE(all.size() == 3);
  CHECK(summary.communicator(all[0].communicator).name == "W");  // 10 s, W_s1.0 has 2 s
  CHECK(all[0].direction == Direction::one_to_all);
  CHECK(all[0].totals.calls == 16);  // (3 + 1) on each of 4
  CHECK(all[0].totals.bytes_received == 3 * (12 + 4));
  CHECK(all[0].operations == 4);
  CHECK(all[1].direction == Direction::all_to_all);  // 2 s, as each line shows; the whole of W is before it
  CHECK(all[1].operations == 4.5);
  CHECK(all[2].direction == Direction::all_to_one);
  CHECK(all[2].totals.bytes_sent == 8);
  CHECK(all[2].operations == 0.25);  // the calls of three processes are missing

  CHECK(sum_up_collectives(summary, {.key = SortKey::time, .top = 1}).size() == 1);  // a line, not both of W
  // On the selected ranks only, these are as many operations.
  Summary const of_one = files.summarise({.ranks = RankSet::parse("1")});
  CHECK(sum_up_collectives(of_one, {})[0].operations == 4);
}
