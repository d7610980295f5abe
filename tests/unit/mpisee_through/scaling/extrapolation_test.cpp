#include "scaling/extrapolation.hpp"

#include <catch2/catch.hpp>
#include <functional>

using namespace mpisee_through;

namespace {

Scaling measured(std::vector<std::uint32_t> const& counts, std::function<double(double)> const& wall_s,
                 ScalingKind kind = ScalingKind::strong) {
  Scaling scaling;
  scaling.kind = kind;
  for (std::uint32_t const ranks : counts) {
    ScalingPoint point;
    point.ranks = ranks;
    point.walls_s = {wall_s(ranks)};
    point.wall_s = describe(point.walls_s);
    scaling.points.push_back(point);
  }
  return scaling;
}

}  // namespace

TEST_CASE("Amdahl's law is found again, up to four times the ranks") {
  Extrapolation const found = extrapolate(measured({1, 2, 4, 8}, [](double n) { return 8 / n + 0.5; }));
  CHECK(found.reason.empty());
  CHECK(found.law == "8.000 s / ranks + 500.0 ms");
  REQUIRE(found.times.size() == 2);
  CHECK(found.times[0].ranks == 16);
  CHECK(found.times[0].wall_s == Approx(1));
  CHECK(found.times[0].low_s == Approx(1));
  CHECK(found.times[0].high_s == Approx(1));
  CHECK(found.times[1].ranks == 32);
  CHECK(found.times[1].wall_s == Approx(0.75));
}

TEST_CASE("the law is the one that fits") {
  CHECK(extrapolate(measured({2, 4, 8, 16}, [](double n) { return 9 / n + 0.25 * n; })).law ==
        "9.000 s / ranks + 250.0 ms × ranks");
  CHECK(extrapolate(measured({2, 4, 8, 16}, [](double n) { return 9 / n + 0.25 * std::log2(n); })).law ==
        "9.000 s / ranks + 250.0 ms × log2(ranks)");
  CHECK(extrapolate(measured({1, 2, 4, 8}, [](double n) { return 3 / n; })).law == "3.000 s / ranks");
  auto const weak = [](std::function<double(double)> const& wall_s) {
    return extrapolate(measured({1, 2, 4, 8, 16}, wall_s, ScalingKind::weak));
  };
  CHECK(weak([](double) { return 5; }).law == "5.000 s");
  CHECK(weak([](double n) { return 5 + 0.5 * n; }).law == "5.000 s + 500.0 ms × ranks");
  CHECK(weak([](double n) { return 5 + 0.5 * std::log2(n); }).times.back().wall_s == Approx(5 + 0.5 * 6));
  // Times that fall a little by chance make no law that falls for ever.
  CHECK(weak([](double n) { return 5 - 0.001 * n; }).law.find('+') == std::string::npos);
}

TEST_CASE("times that scatter give an interval, wider farther away") {
  double const errors[] = {1.01, 0.99, 1.01, 0.99, 1.01};
  std::size_t next = 0;
  Extrapolation const found =
      extrapolate(measured({1, 2, 4, 8, 16}, [&](double n) { return errors[next++] * (8 / n + 0.5); }));
  REQUIRE(found.times.size() == 2);
  auto const width = [](ExtrapolatedTime const& one) { return (one.high_s - one.low_s) / one.wall_s; };
  CHECK(width(found.times[0]) > 0.02);
  CHECK(width(found.times[1]) > width(found.times[0]));
  for (ExtrapolatedTime const& one : found.times) {
    double const true_s = 8.0 / one.ranks + 0.5;
    CHECK(one.low_s < true_s);
    CHECK(true_s < one.high_s);
  }
}

TEST_CASE("nothing is extrapolated that measurements do not bear") {
  auto const amdahl = [](double n) { return 8 / n + 0.5; };
  CHECK(extrapolate(measured({1, 2, 4}, amdahl)).reason == "3 numbers of ranks are too few, it takes 4");
  CHECK(extrapolate(measured({4}, amdahl)).reason == "1 number of ranks is too few, it takes 4");
  auto const jumps = [](double n) { return n == 4 ? 9.0 : 8 / n; };
  CHECK(extrapolate(measured({1, 2, 4, 8}, jumps)).reason == "no simple law fits the times");
  Scaling crowded = measured({1, 2, 4, 8}, amdahl);
  crowded.points[3].queued_share = 0.3;
  CHECK(extrapolate(crowded).reason == "8 ranks shared processors");
  CHECK(extrapolate(crowded).times.empty());
}

TEST_CASE("the interval has the scatter of repetitions in it") {
  Scaling scattered = measured({1, 2, 4, 8}, [](double n) { return 8 / n + 0.4; });
  for (ScalingPoint& point : scattered.points) {
    double const wall_s = point.walls_s[0];
    point.walls_s = {0.6 * wall_s, 0.8 * wall_s, wall_s, 1.3 * wall_s, 1.6 * wall_s};
  }
  CHECK(extrapolate(scattered).reason == "the times scatter too much");

  Scaling scatters_less = measured({1, 2, 4, 8}, [](double n) { return 8 / n + 0.4; });
  for (ScalingPoint& point : scatters_less.points) {
    double const wall_s = point.walls_s[0];
    point.walls_s = {0.9 * wall_s, wall_s, 1.1 * wall_s};
  }
  auto const& times = extrapolate(scatters_less).times;
  REQUIRE_FALSE(times.empty());
  CHECK(times[0].low_s < 0.9 * times[0].wall_s);
  CHECK(times[0].high_s > 1.1 * times[0].wall_s);
}

TEST_CASE("nothing is extrapolated where strong or weak is not clear") {
  Scaling unclear = measured({1, 2, 4, 8}, [](double n) { return 8 / n + 0.5; });
  unclear.kind.reset();
  CHECK(extrapolate(unclear).reason == "strong or weak is not clear");
}
