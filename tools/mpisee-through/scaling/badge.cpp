#include "scaling/badge.hpp"

#include <fmt/format.h>

#include <cmath>

#include "text/svg.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

constexpr double acceptable = 80, poor = 60;
constexpr double width_of_character = 6, padding = 6;

// The colours are dark enough for white text (WCAG: 4.5 to 1).
std::string_view colour_of(std::optional<double> percent) {
  if (!percent) return "#6b7280";
  if (*percent >= acceptable) return "#1a7f37";
  return *percent >= poor ? "#8a6100" : "#c62828";
}

double width_of(std::string_view text) {
  return std::round(width_of_character * static_cast<double>(text.size()) + 2 * padding);
}

std::string text_at(double x, double width, std::string_view text) {
  constexpr double y = 14;
  return svg_text(x + padding, y, text,
                  fmt::format("textLength=\"{}\" lengthAdjust=\"spacingAndGlyphs\"", width - 2 * padding));
}

}  // namespace

std::string badge_of(ScalingPoint const& point) {
  std::optional<double> percent = point.value(FactorIndex::parallel);
  if (percent) percent = std::round(100 * *percent);  // so that the colour agrees with the number shown
  std::string_view constexpr label = "parallel efficiency";
  std::string const value = percent ? fmt::format("{:.0f} %", *percent) : "unknown";
  double const left = width_of(label), right = width_of(value);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"20\" role=\"img\" aria-label=\"{1}: {2}\">\n"
      "<title>{1} on {3}: {2}</title>\n"
      "<clipPath id=\"round\"><rect width=\"{0}\" height=\"20\" rx=\"3\"/></clipPath>\n"
      "<g clip-path=\"url(#round)\"><rect width=\"{4}\" height=\"20\" fill=\"#444c56\"/>"
      "<rect x=\"{4}\" width=\"{5}\" height=\"20\" fill=\"{6}\"/></g>\n"
      "<g fill=\"#ffffff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\">{7}{8}</g>\n</svg>\n",
      left + right, label, value, format_number_of(point.ranks, "rank"), left, right, colour_of(percent),
      text_at(0, left, label), text_at(left, right, value));
}

}  // namespace mpisee_through
