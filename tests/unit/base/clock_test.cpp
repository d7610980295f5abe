#include "base/clock.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <random>
#include <string_view>

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

TEST_CASE("ticks add and subtract") {
  Ticks ticks{5};
  ticks += Ticks{7};
  CHECK(ticks.count == 12);
  ticks -= Ticks{2};
  CHECK(ticks.count == 10);
  CHECK((Ticks{10} - Ticks{4}).count == 6);
  CHECK((Ticks{10} + Ticks{4}).count == 14);
  CHECK(Ticks{1} < Ticks{2});
  // A counter that wraps between two stamps still gives their distance.
  CHECK((Ticks{3} - Ticks{UINT64_MAX}).count == 4);
}

TEST_CASE("a rate turns ticks into nanoseconds, rounding down") {
  CHECK(clock::Rate{}.to_ns({17}) == 17);                          // one tick is a nanosecond
  CHECK(clock::Rate{3, 1}.to_ns({10}) == 3);                       // 10 / 3
  CHECK(clock::Rate{1, 4}.to_ns({10}) == 40);                      // a clock of 250 MHz
  CHECK(clock::Rate{2'500, 1'000}.to_ns({1'000'000}) == 400'000);  // 2.5 GHz
  CHECK(clock::Rate{7, 3}.to_ns({0}) == 0);
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

TEST_CASE("a longer time in ticks is never a shorter one in nanoseconds") {
  std::mt19937_64 random(1);
  clock::Rate const rate{2'893'437'121, 1'000'000'007};
  std::uint64_t const largest_ticks = 3'000'000'000ULL * seconds_of_a_year;
  for (int i = 0; i < 10'000; ++i) {
    std::uint64_t const a = random() % largest_ticks;
    std::uint64_t const b = a + random() % 1000;
    REQUIRE(rate.to_ns({a}) <= rate.to_ns({b}));
    // Rounding down each part loses less than a nanosecond against their sum.
    std::uint64_t const of_parts = rate.to_ns({a}) + rate.to_ns({b});
    std::uint64_t const of_sum = rate.to_ns({a + b});
    REQUIRE(of_parts <= of_sum);
    REQUIRE(of_sum - of_parts <= 1);
  }
}

TEST_CASE("the monotonic clock counts nanoseconds") {
  clock::start(clock::Source::monotonic);
  CHECK(clock::source() == clock::Source::monotonic);
  CHECK(std::string_view(clock::source_name()) == "monotonic");
  std::uint64_t const before = clock::monotonic_ns();
  std::uint64_t const stamp = clock::now().count;
  CHECK(before <= stamp);
  CHECK(stamp <= clock::monotonic_ns());
  clock::Rate const rate = clock::calibrate();
  CHECK(rate.to_ns({123'456'789}) == 123'456'789);
  CHECK(rate.hertz() == 1e9);
}

TEST_CASE("the time stamp counter is used where its rate is constant") {
  clock::start(clock::Source::tsc);
  CHECK((clock::source() == clock::Source::tsc) == clock::tsc_is_invariant());
  CHECK(std::string_view(clock::source_name()) == (clock::tsc_is_invariant() ? "tsc" : "monotonic"));
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
  if (clock::source() != clock::Source::tsc) return;
  clock::Rate const early = clock::calibrate();
  CHECK(early.nanoseconds >= 1'000'000);
  pass_time(20'000'000);
  clock::Rate const late = clock::calibrate();
  CHECK(late.nanoseconds >= 20'000'000);
  CHECK(std::abs(early.hertz() / late.hertz() - 1) < 0.05);
}

TEST_CASE("stamps of one thread do not go backwards") {
  clock::start(GENERATE(clock::Source::monotonic, clock::Source::tsc));
  Ticks before = clock::now();
  for (int i = 0; i < 100'000; ++i) {
    Ticks const stamp = clock::now();
    REQUIRE(before <= stamp);
    before = stamp;
  }
}
