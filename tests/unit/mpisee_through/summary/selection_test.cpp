#include "summary/selection.hpp"

#include <catch2/catch.hpp>

using mpisee_through::matches_communicator;
using mpisee_through::matches_operation;
using mpisee_through::matches_region;

TEST_CASE("communicators are matched by name or by the program's own name") {
  CHECK(matches_communicator("W", "W", ""));
  CHECK_FALSE(matches_communicator("W", "W_a1", ""));
  CHECK(matches_communicator("W_s2.*", "W_s2.0_d1", ""));
  CHECK_FALSE(matches_communicator("W_s2.*", "W_s3.0", ""));
  CHECK(matches_communicator("W_s?.[0-2]", "W_s2.2", ""));
  CHECK_FALSE(matches_communicator("w", "W", ""));
  CHECK(matches_communicator("row*", "W_s2.0", "rows"));
  CHECK_FALSE(matches_communicator("row*", "W_s2.0", ""));
  CHECK(matches_communicator("[x]", "W", "[x]"));  // the name itself, though as a pattern it means x
}

TEST_CASE("the name of folded communicators matches itself") {
  CHECK(matches_communicator("W_d*", "W_d*", ""));
  CHECK(matches_communicator("W_d[*]", "W_d*", ""));
  CHECK_FALSE(matches_communicator("W_d[*]", "W_d1", ""));
}

TEST_CASE("operations are matched in any case, with and without MPI_") {
  CHECK(matches_operation("Send", "Send"));
  CHECK(matches_operation("send", "Send"));
  CHECK(matches_operation("MPI_Send", "Send"));
  CHECK(matches_operation("mpi_send", "Send"));
  CHECK_FALSE(matches_operation("Send", "Isend"));
  CHECK_FALSE(matches_operation("Send", "Sendrecv"));
  CHECK(matches_operation("*all*", "Alltoallv"));
  CHECK(matches_operation("*all*", "Iallreduce"));
  CHECK(matches_operation("MPI_*-none", "Test-none"));
}

TEST_CASE("regions are matched by their whole path") {
  CHECK(matches_region("solve", "solve"));
  CHECK_FALSE(matches_region("solve", "solve/halo"));
  CHECK_FALSE(matches_region("halo", "solve/halo"));
  CHECK(matches_region("solve/*", "solve/halo/pack"));
  CHECK(matches_region("*", "main"));
}

TEST_CASE("a selection in words") {
  using mpisee_through::describe;
  CHECK(describe({}).empty());
  CHECK(describe({.communicators = {"W_a1", "W_s*"},
                  .regions = {"solve\x1b"},
                  .ranks = mpisee_through::RankSet::parse("0-3"),
                  .classes = {mpisee_through::TrafficClass::p2p}}) ==
        "p2p, communicator W_a1 or W_s*, region solve\\x1b, rank 0-3");
}
