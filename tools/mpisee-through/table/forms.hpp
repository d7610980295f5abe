// Writes a table as text for people, and as CSV and JSON for programs. All forms have the same lines in the same order.
//
// Text rounds numbers, the other forms have all digits. An unknown value is "-" in text, empty in CSV and null in JSON.
// A bound is marked: "at most 12.3 %" in text, column KEY_bound in CSV and JSON.
#pragma once

#include <cstddef>
#include <functional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "files/json.hpp"
#include "table/view.hpp"

namespace mpisee_through::table {

// How text is laid out.
struct TextLayout {
  std::size_t width = 120;
  std::size_t indent = 0;
  std::function<std::string(std::string_view)> style_of_titles{};  // for example, bold
};

void write_text(std::ostream& out, Table const& table, TextLayout const& layout);
void write_text(std::ostream& out, Nested const& nested, TextLayout const& layout);
// The cells of the text form: the titles, then the lines.
using TextCells = std::vector<std::vector<std::string>>;
[[nodiscard]] TextCells text_cells(Table const& table);

void write_csv(std::ostream& out, Table const& table);
void write_csv(std::ostream& out, Nested const& nested);
// `members` precede the list in the JSON object.
void write_json(std::ostream& out, Table const& table, Json const& members);
void write_json(std::ostream& out, Nested const& nested, Json const& members);

// One line as an object, and the list of all lines.
[[nodiscard]] Json json_object(Table const& table, std::size_t line);
[[nodiscard]] Json json_list(Table const& table);

// The table for the page: {"name", "columns": [{"key", "title", "kind"}], "lines": [[cell, …]]} with the columns of
// text except bars. A cell is a value with all digits, {"value", "bound"}, or {"value", "by"}: the number to sort a
// text by. Columns that identify the outer line precede those of the inner line.
[[nodiscard]] Json page_table(Table const& table);
[[nodiscard]] Json page_table(Nested const& nested);

// Prints "\nNot shown, beyond --top: 3 lines.\n"; nothing if hidden is 0.
void say_hidden(std::ostream& out, std::size_t hidden, std::string_view noun);

}  // namespace mpisee_through::table
