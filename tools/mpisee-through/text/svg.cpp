#include "text/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <vector>

#include "styles.hpp"

namespace mpisee_through {
namespace {

// The colours of --amounts in palette.css.
std::vector<Colour> read_amounts() {
  std::string_view list = palette_css.substr(palette_css.find("--amounts:"));
  list = list.substr(0, list.find(';'));
  std::vector<Colour> colours;
  for (std::size_t at = list.find('#'); at != list.npos; at = list.find('#', at + 1)) {
    unsigned bits = 0;
    std::from_chars(list.data() + at + 1, list.data() + at + 7, bits, 16);
    auto const channel = [&](unsigned shift) { return static_cast<double>(bits >> shift & 0xffU) / 255; };
    colours.push_back({channel(16), channel(8), channel(0)});
  }
  return colours;
}

std::vector<Colour> const& palette() {
  static std::vector<Colour> const colours = read_amounts();
  return colours;
}

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string escaped;
  for (char const one : text) {
    if (one == '<') escaped += "&lt;";
    else if (one == '>') escaped += "&gt;";
    else if (one == '&') escaped += "&amp;";
    else if (one == '"') escaped += "&quot;";
    else escaped += one;
  }
  return escaped;
}

std::string svg_text(double x, double y, std::string_view what, std::string_view attributes) {
  std::string_view const between = attributes.empty() ? "" : " ";
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>", x, y, between, attributes, escape_markup(what));
}

std::string Colour::hex() const {
  auto const byte = [](double part) { return std::lround(255 * part); };
  return fmt::format("#{:02x}{:02x}{:02x}", byte(red), byte(green), byte(blue));
}

Colour colour_of_part(double part) {
  auto const last = static_cast<double>(palette().size() - 1);
  double const place = std::clamp(part, 0.0, 1.0) * last;
  auto const index = static_cast<std::size_t>(std::min(place, last - 1));
  double const between = place - static_cast<double>(index);
  auto const mix = [&](double Colour::*channel) {
    return palette()[index].*channel * (1 - between) + palette()[index + 1].*channel * between;
  };
  return {mix(&Colour::red), mix(&Colour::green), mix(&Colour::blue)};
}

std::string gradient_of_parts(std::string_view id, bool upward) {
  std::string gradient =
      fmt::format("<linearGradient id=\"{}\"{}>", id, upward ? " x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\"" : "");
  auto const last = static_cast<double>(palette().size() - 1);
  for (std::size_t i = 0; i < palette().size(); ++i) {
    double const part = static_cast<double>(i) / last;
    gradient += fmt::format("<stop offset=\"{:.3f}\" stop-color=\"{}\"/>", part, colour_of_part(part).hex());
  }
  return gradient + "</linearGradient>";
}

}  // namespace mpisee_through
