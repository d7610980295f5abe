#include "api/mpi_t/numbering.hpp"

#include <catch2/catch.hpp>
#include <set>

using commprof::mpi_t::Numbering;
using Place = Numbering::Place;

TEST_CASE("ours come behind those of the MPI") {
  Numbering numbering(2);
  CHECK(numbering.total(3) == 5);
  CHECK(numbering.find(0, 3) == Place{false, 0});
  CHECK(numbering.find(2, 3) == Place{false, 2});
  CHECK(numbering.find(3, 3) == Place{true, 0});
  CHECK(numbering.find(4, 3) == Place{true, 1});
  CHECK_FALSE(numbering.find(5, 3));
  CHECK_FALSE(numbering.find(-1, 3));
  CHECK_FALSE(numbering.parts_native(3));
}

TEST_CASE("an MPI may have none") {
  Numbering numbering(2);
  CHECK(numbering.find(1, 0) == Place{true, 1});
  CHECK_FALSE(numbering.find(2, 0));
}

TEST_CASE("an index keeps its meaning when the MPI gets more variables") {
  Numbering numbering(2);
  CHECK(numbering.index_of({true, 1}, 3) == 4);
  CHECK(numbering.index_of({true, 1}, 10) == 4);
  CHECK(numbering.total(10) == 12);
  CHECK(numbering.parts_native(10));
  CHECK(numbering.find(3, 10) == Place{true, 0});
  CHECK(numbering.find(5, 10) == Place{false, 3});
  CHECK(numbering.find(11, 10) == Place{false, 9});
}

TEST_CASE("each variable has one index") {
  Numbering numbering(2);
  numbering.total(3);
  std::set<int> indices;
  for (int index = 0; index < numbering.total(10); ++index) {
    auto const place = numbering.find(index, 10);
    REQUIRE(place);
    CHECK(numbering.index_of(*place, 10) == index);
    indices.insert(place->is_own ? -1 - place->index : place->index);
  }
  CHECK(indices.size() == 12);
}
