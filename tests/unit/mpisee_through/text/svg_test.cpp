#include "text/svg.hpp"

#include <catch2/catch.hpp>

using namespace mpisee_through;

TEST_CASE("more is darker, and the palest colour is not white") {
  auto const lightness = [](double part) {
    Colour const colour = colour_of_part(part);
    return colour.red + colour.green + colour.blue;
  };
  for (int step = 1; step <= 100; ++step) CHECK(lightness(step / 100.0) < lightness((step - 1) / 100.0));
  CHECK(lightness(0) < 2.5);
  CHECK(colour_of_part(2) == colour_of_part(1));
}

TEST_CASE("colours and texts as SVG has them") {
  CHECK(colour_of_part(1).hex() == "#081d58");
  CHECK(svg_text(1, 2.25, "a < b") == "<text x=\"1.0\" y=\"2.2\">a &lt; b</text>");
  CHECK(svg_text(0, 0, "", "fill=\"red\"") == "<text x=\"0.0\" y=\"0.0\" fill=\"red\"></text>");
  CHECK(gradient_of_parts("g", true).starts_with("<linearGradient id=\"g\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\"><stop"));
}
