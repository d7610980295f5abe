// What the pictures in SVG share: texts, and the palette of amounts.
#pragma once

#include <string>
#include <string_view>

namespace mpisee_through {

// Escapes text for HTML and SVG, also inside a quoted attribute.
[[nodiscard]] std::string escape_markup(std::string_view text);

// Text at a point. attributes: further ones of the element, such as text-anchor="end".
[[nodiscard]] std::string svg_text(double x, double y, std::string_view what, std::string_view attributes = {});

struct Colour {
  double red, green, blue;  // 0 to 1
  bool operator==(Colour const&) const = default;
  [[nodiscard]] std::string hex() const;  // "#081d58"
};

// The colour of an amount, 0 to 1 of the largest: from pale to dark.
[[nodiscard]] Colour colour_of_part(double part);

// A gradient of all these colours, for a legend: the element <linearGradient> with this id. upward: else to the right.
[[nodiscard]] std::string gradient_of_parts(std::string_view id, bool upward);

}  // namespace mpisee_through
