#include "scaling/line_chart.hpp"

#include <catch2/catch.hpp>
#include <sstream>

using namespace mpisee_through;
using Catch::Contains;

TEST_CASE("parts of an axis") {
  CHECK(ChartAxis{.low = 0, .high = 4}.part(1) == Approx(0.25));
  CHECK(ChartAxis{.low = 1, .high = 16, .is_logarithmic = true}.part(4) == Approx(0.5));
  CHECK(ChartAxis{.low = 0, .high = 4}.part(5) == 1);
  CHECK(ChartAxis{.low = 3, .high = 3}.part(3) == 0.5);
}

TEST_CASE("steps of an axis are round and reach the highest value") {
  CHECK(round_steps(9) == std::vector<double>{0, 2, 4, 6, 8, 10});
  CHECK(round_steps(1.4).back() == Approx(1.5));
  CHECK(round_steps(0) == std::vector<double>{0, 1});
  for (double const highest : {1e-6, 0.3, 1.0, 7.0, 12345.0}) {
    INFO(highest);
    std::vector<double> const steps = round_steps(highest);
    CHECK(steps.back() >= highest);
    CHECK(steps.size() <= 7);
  }
}

TEST_CASE("a chart has a mark with its text for each point, and the name of each line") {
  LineChart chart{.description = "a < b", .x = {.high = 2}, .y = {.high = 10}};
  chart.lines = {{"one", "series-0", {{0, 10, "ten & more"}, {2, 0, "nothing"}}}, {"two", "ideal", {{0, 0}, {2, 10}}}};
  std::ostringstream out;
  draw(out, chart);
  std::string const svg = out.str();
  CHECK_THAT(svg, Contains("aria-label=\"a &lt; b\"") && Contains("<title>ten &amp; more</title>"));
  // From the upper left corner of the plot to its lower right one: 720 - 190 and 340 - 48.
  CHECK_THAT(svg, Contains("<g class=\"series-0\"><path d=\"M64.0 14.0L530.0 292.0\"/>"));
  CHECK_THAT(svg, Contains(">one</text>") && Contains(">two</text>"));
  std::size_t marks = 0;
  for (std::size_t at = svg.find("<circle"); at != svg.npos; at = svg.find("<circle", at + 1)) ++marks;
  CHECK(marks == 2);
}

TEST_CASE("names at the ends of lines do not cover each other") {
  LineChart chart{.description = "", .x = {.high = 1}, .y = {.high = 1}};
  for (char const* name : {"a", "b", "c"}) chart.lines.push_back({name, "series-0", {{0, 0}, {1, 0}}});
  std::ostringstream out;
  draw(out, chart);
  // The lowest at the end of the axis, the others 16 above each other.
  for (char const* name : {"y=\"264.0\">a", "y=\"280.0\">b", "y=\"296.0\">c"}) CHECK_THAT(out.str(), Contains(name));
}
