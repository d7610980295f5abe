#include "mpi_messages/contexts.hpp"

#include <catch2/catch.hpp>

using commprof::mpi_messages::Contexts;

TEST_CASE("a context leads to the communicator that was learned last", "[contexts]") {
  Contexts contexts;
  CHECK(contexts.comm_of(0) == 0);
  contexts.learn(0, 100);  // Open MPI's MPI_COMM_WORLD has the context 0
  contexts.learn(8, 200);
  CHECK(contexts.comm_of(0) == 100);
  CHECK(contexts.comm_of(8) == 200);
  CHECK(contexts.comm_of(16) == 0);
  contexts.learn(8, 300);
  CHECK(contexts.comm_of(8) == 300);
  CHECK(!contexts.has(200));
  contexts.forget(300);
  CHECK(contexts.comm_of(8) == 0);
  CHECK(!contexts.has(300));
  CHECK(contexts.has(100));
  contexts.learn(24, 300);  // the handle denotes a new communicator
  CHECK(contexts.comm_of(24) == 300);
  CHECK(contexts.comm_of(8) == 0);
}

TEST_CASE("many contexts", "[contexts]") {
  Contexts contexts;
  for (std::uint64_t i = 1; i <= 2000; ++i) contexts.learn(i << 48, i);
  for (std::uint64_t i = 1; i <= 2000; ++i) REQUIRE(contexts.comm_of(i << 48) == i);
}
