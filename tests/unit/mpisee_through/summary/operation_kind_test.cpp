#include "summary/operation_kind.hpp"

#include <catch2/catch.hpp>
#include <string_view>
#include <utility>

using namespace mpisee_through;

TEST_CASE("operations have the kind that the table of calls gives them") {
  CHECK(kind_of("Send") == OperationKind::p2p);
  CHECK(kind_of("Start") == OperationKind::p2p);
  CHECK(kind_of("Iprobe-none") == OperationKind::p2p);
  CHECK(kind_of("Allreduce") == OperationKind::collective);
  CHECK(kind_of("Neighbor_alltoallw_init") == OperationKind::collective);
  CHECK(kind_of("Waitall") == OperationKind::completion);
  CHECK(kind_of("Test-none") == OperationKind::completion);
  CHECK(kind_of("Comm_split") == OperationKind::communicator);
  CHECK(kind_of("Put") == OperationKind::one_sided);
  CHECK(kind_of("File_write") == OperationKind::file);
  CHECK(kind_of("Pcontrol") == OperationKind::other);
  CHECK(kind_of("Unheard_of") == OperationKind::other);
  for (auto const& [kind, name] : operation_kinds.rows) CHECK(operation_kinds.parse(name_of(kind)) == kind);
  CHECK_FALSE(operation_kinds.parse("talk").has_value());
}

TEST_CASE("who sends messages") {
  for (char const* name : {"Send", "Isend", "Sendrecv", "Ibsend", "Isendrecv"}) CHECK(sends_messages(name));
  for (char const* name : {"Recv", "Send_init", "Put", "Bcast", "Wait"}) CHECK_FALSE(sends_messages(name));
}

TEST_CASE("the blocking form of a collective operation") {
  for (char const* name : {"Allreduce", "Iallreduce", "Allreduce_init"}) CHECK(blocking_form(name) == "Allreduce");
  CHECK(blocking_form("Ireduce_scatter_block") == "Reduce_scatter_block");
}

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
