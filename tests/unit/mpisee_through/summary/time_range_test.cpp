#include "summary/time_range.hpp"

#include <catch2/catch.hpp>

#include "support/temporary_profile.hpp"

using namespace mpisee_through;

TEST_CASE("ranges of times are read") {
  auto const range = TimeRange::parse("10ms-1.5s");
  REQUIRE(range.has_value());
  CHECK(range->min_s == Approx(0.01));
  CHECK(range->max_s == 1.5);
  CHECK(TimeRange::parse("2-")->holds(1e9));
  CHECK_FALSE(TimeRange::parse("2-")->holds(1.9));
  CHECK(TimeRange::parse("0-100us")->max_s == Approx(1e-4));
  for (char const* text : {"", "1", "-1", "2-1", "1h-", "x-2", "1-2-3", "inf-"})
    CHECK_FALSE(TimeRange::parse(text).has_value());
}

TEST_CASE("operations are kept by the time of their slowest rank") {
  TemporaryProfile const files(
      {.operations = {"main,W,2,0,Send,8,15,1,8,0,0.5,0.5,0.5", "main,W,2,0,Recv,8,15,1,0,8,2,2,2",
                      "main,W,2,1,Send,8,15,1,8,0,1,1,1"}});
  Summary summary = files.summarise();
  keep_operations(summary, *TimeRange::parse("0-1"));
  REQUIRE(summary.communicators[0].operations.size() == 1);
  CHECK(summary.name_of(summary.communicators[0].operations[0].operation) == "Send");
  CHECK(summary.communicators[0].totals.time_s == 3.5);
}
