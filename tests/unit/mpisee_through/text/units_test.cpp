#include "text/units.hpp"

#include <catch2/catch.hpp>
#include <cstdint>

using namespace mpisee_through;

// table/formatted.json has numbers of all kinds with their text, for the page, too.
TEST_CASE("numbers are rounded exactly") {
  CHECK(format_seconds(1.0005) == "1.000 s");  // a little less
  CHECK(format_seconds(1.7e308) == "1.700e+308 s");
  CHECK(format_bytes(UINT64_MAX) == "16.00 EiB");
  CHECK(format_count(UINT64_MAX) == "18,446,744,073,709,551,615");
}

TEST_CASE("bins of sizes name their bounds") {
  CHECK(format_size_bin({0, 0}) == "0 B");
  CHECK(format_size_bin({2, 3}) == "2-3 B");
  CHECK(format_size_bin({512, 1023}) == "512-1,023 B");
  CHECK(format_size_bin({524288, 1048575}) == "512 KiB to <1 MiB");
  CHECK(format_size_bin({std::uint64_t{1} << 63, UINT64_MAX}) == "8 EiB and more");
  CHECK(format_size_bin({1024, 3000}) == "1,024-3,000 B");  // not a power of two
}
