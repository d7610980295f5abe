#include "report/packed_column.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace mpisee_through;

TEST_CASE("counts are groups of seven bits, the lowest first") {
  auto const packed = [](std::vector<std::uint64_t> const& counts) { return pack_counts(counts); };
  CHECK(packed({}).empty());
  CHECK(packed({0}) == "AA==");                       // 00
  CHECK(packed({1, 127}) == "AX8=");                  // 01 7f
  CHECK(packed({128}) == "gAE=");                     // 80 01
  CHECK(packed({300, 2}) == "rAIC");                  // 300 is 2 * 128 + 44: ac 02, then 02
  CHECK(packed({16384, 5}) == "gIABBQ==");            // 80 80 01, then 05
  CHECK(packed({UINT64_MAX}) == "////////////AQ==");  // nine times ff, then 01
}

TEST_CASE("seconds are doubles, the lowest byte first") {
  auto const packed = [](std::vector<double> const& seconds) { return pack_seconds(seconds); };
  CHECK(packed({}).empty());
  CHECK(packed({0}) == "AAAAAAAAAAA=");
  CHECK(packed({1}) == "AAAAAAAA8D8=");                  // 1.0 is 3ff0000000000000
  CHECK(packed({1, -2}) == "AAAAAAAA8D8AAAAAAAAAwA==");  // -2.0 is c000000000000000
}
