#include "wrappers/initialization.hpp"

#include <catch2/catch.hpp>

using namespace commprof;

namespace {

int prepared = 0, observed = 0, begun = 0;

}  // namespace

// Replace functions of the library that need a running MPI.
void mpi_messages::prepare() { ++prepared; }
void transport::prepare() { ++observed; }
void run::announce() {}
void run::begin() { ++begun; }

// The earlier the first reading of the clock, the more precise is the rate of a short run (clock::look()).
TEST_CASE("Before MPI is initialised the clock has been read and the MPI prepared") {
  prepared = observed = begun = 0;
  int const result = initialization::of_world([] {
    CHECK(clock::first_reading().ns != 0);
    CHECK(prepared == 1);
    CHECK(observed == 1);
    CHECK(begun == 0);
    return MPI_SUCCESS;
  });
  CHECK(result == MPI_SUCCESS);
  CHECK(begun == 1);
}

TEST_CASE("Where MPI's initialisation fails no profile is begun") {
  prepared = begun = 0;
  CHECK(initialization::of_world([] { return MPI_ERR_OTHER; }) == MPI_ERR_OTHER);
  CHECK(begun == 0);
}
