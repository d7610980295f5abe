// The forms of a table: text for people, CSV and JSON for programs. All have the same lines in the same order.
//
// Numbers are short in text and complete elsewhere. Values that are not known are "-" in text, empty in CSV and null in
// JSON. A value that is a bound says so: "at most 12.3 %" in text, in data in the column KEY_bound.
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
  std::function<std::string(std::string_view)> style_of_titles{};  // such as bold
};

void write_text(std::ostream& out, Table const& table, TextLayout const& layout);
void write_text(std::ostream& out, Nested const& nested, TextLayout const& layout);
// What text has in its cells: the titles, then the lines.
using TextCells = std::vector<std::vector<std::string>>;
[[nodiscard]] TextCells text_cells(Table const& table);

void write_csv(std::ostream& out, Table const& table);
void write_csv(std::ostream& out, Nested const& nested);
// The members of the object come before the list.
void write_json(std::ostream& out, Table const& table, Json const& members);
void write_json(std::ostream& out, Nested const& nested, Json const& members);

// A line as an object, and all of them.
[[nodiscard]] Json json_object(Table const& table, std::size_t line);
[[nodiscard]] Json json_list(Table const& table);

// For the page: {"name", "columns": [{"key", "title", "kind"}], "lines": [[cell, …]]} with the columns of text. A cell
// is a value with all digits, or {"value", "bound"}. Columns that identify the outer line come before those of the
// inner one.
[[nodiscard]] Json page_table(Table const& table);
[[nodiscard]] Json page_table(Nested const& nested);

// "\nNot shown, beyond --top: 3 lines.\n"; nothing if all are shown.
void say_hidden(std::ostream& out, std::size_t hidden, std::string_view noun);

}  // namespace mpisee_through::table
