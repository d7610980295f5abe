#pragma once

#include <string>
#include <string_view>

namespace mpisee_through {

// RFC 4180: quotes around what holds a separator, and quotes in it doubled. Names hold no line breaks.
[[nodiscard]] inline std::string csv_field(std::string_view field) {
  if (field.find_first_of(",\"") == std::string_view::npos) return std::string(field);
  std::string text = "\"";
  for (char const character : field) text.append(character == '"' ? 2 : 1, character);
  return text + '"';
}

}  // namespace mpisee_through
