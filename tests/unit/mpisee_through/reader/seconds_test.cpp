#include "reader/seconds.hpp"

#include <catch2/catch.hpp>

#include "reader/csv_file.hpp"

using mpisee_through::parse_nanoseconds;
using mpisee_through::Seconds;

TEST_CASE("sums of times do not depend on the order of their summands") {
  Seconds forwards, backwards;
  for (int i = 1; i <= 1000; ++i) forwards += Seconds(0.1 * i);
  for (int i = 1000; i >= 1; --i) backwards += Seconds(0.1 * i);
  CHECK(static_cast<double>(forwards) == 50050.0);
  CHECK(static_cast<double>(backwards) == 50050.0);
}

TEST_CASE("a million ranks may take a year each") {
  Seconds sum;
  for (int i = 0; i < 1'000'000; ++i) sum += Seconds(365 * 86400.0);
  CHECK(static_cast<double>(sum) == 365 * 86400 * 1e6);
  CHECK(sum.is_countable());
  sum += Seconds(1e300);
  CHECK_FALSE(sum.is_countable());
}

TEST_CASE("times of profiles are read as whole nanoseconds") {
  CHECK(parse_nanoseconds("12.034567891") == 12'034'567'891U);
  CHECK(parse_nanoseconds("0.5") == 500'000'000U);
  CHECK(parse_nanoseconds("7") == 7'000'000'000U);
  CHECK(parse_nanoseconds("9999999999.999999999") == 9'999'999'999'999'999'999U);
  for (char const* other : {"", ".", ".5", "1.", "1e3", "-1", "1.0000000001", "99999999999", "1.2.3", "1 ", "nan"})
    CHECK_FALSE(parse_nanoseconds(other));
}
