#include "summary/collectives.hpp"

#include <catch2/catch.hpp>

#include "calls/call_table.hpp"

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
