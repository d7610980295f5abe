#pragma once

#include <ostream>
#include <string>
#include <string_view>

namespace mpisee_through {

// RFC 4180: quotes around what holds a separator, and quotes in it doubled. Names hold no line breaks.
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

// Writes a table again with a first column that has one value, without its header line if that is not wanted.
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
