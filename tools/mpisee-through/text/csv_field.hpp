#pragma once

#include <ostream>
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

// Copies a CSV table with an additional first column of one value. with_header: whether to copy the header line.
inline void add_column(std::ostream& out, std::string_view table, std::string_view title, std::string_view value,
                       bool with_header) {
  bool is_header = true;
  while (!table.empty()) {
    std::string_view const line = table.substr(0, table.find('\n') + 1);
    if (!is_header || with_header) out << (is_header ? std::string(title) : csv_field(value)) << ',' << line;
    is_header = false;
    table.remove_prefix(line.size());
  }
}

}  // namespace mpisee_through
