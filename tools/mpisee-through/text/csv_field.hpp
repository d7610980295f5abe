#pragma once

#include <string>
#include <string_view>

namespace mpisee_through {

// Appends a field as RFC 4180 says: in quotes if it contains a separator or a quote; quotes inside are doubled. Names
// contain no line breaks.
inline void add_csv_field(std::string& line, std::string_view field) {
  if (field.find_first_of(",\"") == std::string_view::npos) {
    line += field;
    return;
  }
  line += '"';
  for (char const character : field) line.append(character == '"' ? 2 : 1, character);
  line += '"';
}
[[nodiscard]] inline std::string csv_field(std::string_view field) {
  std::string text;
  add_csv_field(text, field);
  return text;
}

}  // namespace mpisee_through
