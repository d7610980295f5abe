#include "summary/size_range.hpp"

#include <catch2/catch.hpp>

using mpisee_through::SizeBin;
using mpisee_through::SizeRange;

namespace {

std::string parsed(std::string_view text) {
  auto const range = SizeRange::parse(text);
  return range ? range->to_string() : "none";
}

}  // namespace

TEST_CASE("ranges of sizes are read") {
  CHECK(parsed("1k-64k") == "1024-65536");
  CHECK(parsed("8") == "8-8");
  CHECK(parsed("1m-") == "1048576-");
  CHECK(parsed("0-0") == "0-0");
  CHECK(parsed("2KiB-3GiB") == "2048-3221225472");
  CHECK(parsed("1K-2Ki") == "1024-2048");
  for (char const* text : {"", "-", "k", "-8", "8-4", "1x-", "1k64", "1 k", "1-2-3", "99e-", "1kB"}) {
    CHECK(parsed(text) == "none");
  }
}

TEST_CASE("a class of sizes is in the range in which it begins") {
  SizeRange const range = *SizeRange::parse("1k-64k");
  CHECK_FALSE(range.holds({512, 1023}));
  CHECK(range.holds({1024, 2047}));
  CHECK(range.holds({65536, 131071}));
  CHECK_FALSE(range.holds({131072, 262143}));
  CHECK(SizeRange::parse("0")->holds({0, 0}));
}
