#include "base/clock.hpp"

#include <catch2/catch.hpp>
#include <cstdint>

using namespace commprof;

namespace {

constexpr std::uint64_t seconds_of_a_year = 366ULL * 24 * 60 * 60;  // 31,622,400
constexpr std::uint64_t ns_of_a_year = seconds_of_a_year * 1'000'000'000;

// A reading of the clock under test between two of the system's.
struct Bracket {
  std::uint64_t before_ns;
  Ticks ticks;
  std::uint64_t after_ns;
};

Bracket read_in_bracket() {
  std::uint64_t const before = clock::monotonic_ns();
  Ticks const ticks = clock::now();
  return {before, ticks, clock::monotonic_ns()};
}

void pass_time(std::uint64_t nanoseconds) {
  std::uint64_t const start = clock::monotonic_ns();
  while (clock::monotonic_ns() - start < nanoseconds) {
  }
}

}  // namespace

TEST_CASE("a rate turns ticks into nanoseconds, rounding down") {
  CHECK(clock::Rate{}.to_ns({17}) == 17);                          // one tick is a nanosecond
  CHECK(clock::Rate{3, 1}.to_ns({10}) == 3);                       // 10 / 3
  CHECK(clock::Rate{1, 4}.to_ns({10}) == 40);                      // a clock of 250 MHz
  CHECK(clock::Rate{2'500, 1'000}.to_ns({1'000'000}) == 400'000);  // 2.5 GHz
  CHECK(clock::Rate{3'000, 1'000}.hertz() == 3e9);
  CHECK(clock::Rate{}.hertz() == 1e9);
}

TEST_CASE("a year of ticks is converted without overflow") {
  // 5 GHz, measured over an hour; the product of a year's ticks and an hour's nanoseconds, 5.7e29, needs 99 bits.
  clock::Rate const rate{5'000'000'000ULL * 3600, 1'000'000'000ULL * 3600};
  CHECK(rate.to_ns({5'000'000'000ULL * seconds_of_a_year}) == ns_of_a_year);
  // Measured over the year itself: 158 with 15 zeros times 32 with 15 zeros.
  clock::Rate const over_a_year{5'000'000'000ULL * seconds_of_a_year, ns_of_a_year};
  CHECK(over_a_year.to_ns({5'000'000'000ULL * seconds_of_a_year}) == ns_of_a_year);
  CHECK(over_a_year.to_ns({5}) == 1);
  CHECK(clock::Rate{UINT64_MAX, UINT64_MAX}.to_ns({UINT64_MAX}) == UINT64_MAX);
}

TEST_CASE("both clocks agree on how long something took") {
  auto const source = GENERATE(clock::Source::monotonic, clock::Source::tsc);
  clock::start(source);
  Bracket const first = read_in_bracket();
  pass_time(20'000'000);
  Bracket const last = read_in_bracket();
  clock::Rate const rate = clock::calibrate();
  INFO(clock::source_name() << " at " << rate.hertz() << " Hz");

  auto const measured = static_cast<double>(rate.to_ns(last.ticks - first.ticks));
  // The elapsed time lies between the inner and the outer readings of the brackets, however the process was scheduled.
  CHECK(measured >= 0.99 * static_cast<double>(last.before_ns - first.after_ns));
  CHECK(measured <= 1.01 * static_cast<double>(last.after_ns - first.before_ns));
}

TEST_CASE("a calibration soon after the start waits for a base of a millisecond") {
  clock::start(clock::Source::tsc);
  if (!clock::reads_tsc) return;
  CHECK(clock::calibrate().nanoseconds >= 1'000'000);
  pass_time(20'000'000);
  CHECK(clock::calibrate().nanoseconds >= 20'000'000);
}
