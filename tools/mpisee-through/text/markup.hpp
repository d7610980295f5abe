#pragma once

#include <string>
#include <string_view>

namespace mpisee_through {

// Escapes text for HTML and SVG, also inside a quoted attribute.
[[nodiscard]] inline std::string escape_markup(std::string_view text) {
  std::string escaped;
  for (char const one : text) {
    switch (one) {
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '&':
        escaped += "&amp;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += one;
    }
  }
  return escaped;
}

}  // namespace mpisee_through
