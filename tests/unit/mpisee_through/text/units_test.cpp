#include "text/units.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <random>

using namespace mpisee_through;

TEST_CASE("seconds have four digits and the unit that fits") {
  CHECK(format_seconds(0) == "0 s");
  CHECK(format_seconds(1e-9) == "1.000 ns");
  CHECK(format_seconds(123.4e-9) == "123.4 ns");
  CHECK(format_seconds(1.2345e-6) == "1.234 µs");
  CHECK(format_seconds(12.346e-6) == "12.35 µs");
  CHECK(format_seconds(0.25) == "250.0 ms");
  CHECK(format_seconds(1) == "1.000 s");
  CHECK(format_seconds(59.994) == "59.99 s");
  CHECK(format_seconds(1234.4) == "1234 s");
  CHECK(format_seconds(12345.6) == "12,346 s");
  CHECK(format_seconds(1234567) == "1,234,567 s");
  CHECK(format_seconds(1.7e308) == "1.700e+308 s");
}

TEST_CASE("a time that rounds up to the next unit is shown in it") {
  CHECK(format_seconds(999.9e-6) == "999.9 µs");
  CHECK(format_seconds(999.96e-6) == "1.000 ms");
  CHECK(format_seconds(0.99994) == "999.9 ms");
  CHECK(format_seconds(0.99996) == "1.000 s");
  CHECK(format_seconds(9.9994) == "9.999 s");
  CHECK(format_seconds(9.9996) == "10.00 s");
  CHECK(format_seconds(99.996) == "100.0 s");
  CHECK(format_seconds(999.96) == "1000 s");
  CHECK(format_seconds(9999.4) == "9999 s");
  CHECK(format_seconds(9999.6) == "10,000 s");
}

TEST_CASE("bytes are in powers of 1024") {
  CHECK(format_bytes(0) == "0 B");
  CHECK(format_bytes(1023) == "1023 B");
  CHECK(format_bytes(1024) == "1.000 KiB");
  CHECK(format_bytes(1536) == "1.500 KiB");
  CHECK(format_bytes(1024 * 1000) == "1000 KiB");
  CHECK(format_bytes(1024 * 1024 - 1) == "1.000 MiB");  // 1023.999 KiB
  CHECK(format_bytes(1024 * 1023) == "1023 KiB");
  CHECK(format_bytes(3873236800) == "3.607 GiB");  // 3873236800 / 1073741824 = 3.6072
  CHECK(format_bytes(UINT64_MAX) == "16.00 EiB");
}

TEST_CASE("counts have their thousands apart") {
  CHECK(format_count(0) == "0");
  CHECK(format_count(999) == "999");
  CHECK(format_count(1000) == "1,000");
  CHECK(format_count(123456) == "123,456");
  CHECK(format_count(UINT64_MAX) == "18,446,744,073,709,551,615");
}

TEST_CASE("shares have one decimal and are not rounded to nothing") {
  CHECK(format_share(0.5) == "50.0 %");
  CHECK(format_share(1) == "100.0 %");
  CHECK(format_share(0) == "0.0 %");
  CHECK(format_share(0.0004) == "<0.1 %");
  CHECK(format_share(0.0006) == "0.1 %");
  CHECK(format_share(std::nullopt) == "-");
}

TEST_CASE("numbers are rounded as exactly as {fmt} rounds them") {
  CHECK(format_share(0.0625) == "6.2 %");  // a half, to the even digit
  CHECK(format_share(0.1875) == "18.8 %");
  CHECK(format_share(0.0005) == "0.1 %");  // 0.05 is a little more than that as a double
  CHECK(format_share(5e9) == "500000000000.0 %");
  CHECK(format_seconds(1.0005) == "1.000 s");  // a little less
  CHECK(format_seconds(2.0625) == "2.062 s");
  CHECK(format_seconds(2.0627) == "2.063 s");
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    double const share = std::ldexp(static_cast<double>(random()), -static_cast<int>(random() % 80)) + 0.001;
    CHECK(format_share(share) == fmt::format("{:.1f} %", share * 100));
  }
}

TEST_CASE("bins of sizes name their bounds") {
  CHECK(format_size_bin({0, 0}) == "0 B");
  CHECK(format_size_bin({1, 1}) == "1 B");
  CHECK(format_size_bin({2, 3}) == "2-3 B");
  CHECK(format_size_bin({512, 1023}) == "512-1,023 B");
  CHECK(format_size_bin({1024, 2047}) == "1 KiB to <2 KiB");
  CHECK(format_size_bin({524288, 1048575}) == "512 KiB to <1 MiB");
  CHECK(format_size_bin({std::uint64_t{1} << 62, (std::uint64_t{1} << 63) - 1}) == "4 EiB to <8 EiB");
  CHECK(format_size_bin({std::uint64_t{1} << 63, UINT64_MAX}) == "8 EiB and more");
  CHECK(format_size_bin({1024, 3000}) == "1,024-3,000 B");  // not a power of two
}

TEST_CASE("a bar has 20 characters for the whole, and one for the smallest part") {
  CHECK(format_bar(0, 10).empty());
  CHECK(format_bar(0, 0).empty());
  CHECK(format_bar(1, 1'000'000) == "#");
  CHECK(format_bar(1, 4) == "#####");
  CHECK(format_bar(10, 10) == std::string(20, '#'));
}
