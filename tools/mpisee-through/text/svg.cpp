#include "text/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

#include "text/markup.hpp"

namespace mpisee_through {
namespace {

// ColorBrewer's YlGnBu without its two palest classes, which look like white. Its lightness falls evenly, also for
// colour-blind people and in grey.
constexpr unsigned palette[] = {0xc7e9b4, 0x7fcdbb, 0x41b6c4, 0x1d91c0, 0x225ea8, 0x253494, 0x081d58};

double channel(unsigned colour, unsigned shift) { return static_cast<double>(colour >> shift & 0xffU) / 255; }

}  // namespace

std::string svg_text(double x, double y, std::string_view what, std::string_view attributes) {
  std::string_view const between = attributes.empty() ? "" : " ";
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>", x, y, between, attributes, escape_markup(what));
}

std::string Colour::hex() const {
  auto const byte = [](double part) { return std::lround(255 * part); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(red), byte(green), byte(blue));
}

Colour colour_of_part(double part) {
  constexpr double last = std::size(palette) - 1;
  double const place = std::clamp(part, 0.0, 1.0) * last;
  auto const index = static_cast<std::size_t>(std::min(place, last - 1));
  double const between = place - static_cast<double>(index);
  auto const mix = [&](unsigned shift) {
    return channel(palette[index], shift) * (1 - between) + channel(palette[index + 1], shift) * between;
  };
  return {mix(16), mix(8), mix(0)};
}

std::string gradient_of_parts(std::string_view id, bool upward) {
  std::string gradient =
      fmt::format("<linearGradient id=\"{}\"{}>", id, upward ? " x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\"" : "");
  constexpr double last = std::size(palette) - 1;
  for (std::size_t i = 0; i < std::size(palette); ++i) {
    double const part = static_cast<double>(i) / last;
    gradient += fmt::format("<stop offset=\"{:.3f}\" stop-color=\"{}\"/>", part, colour_of_part(part).hex());
  }
  return gradient + "</linearGradient>";
}

}  // namespace mpisee_through
