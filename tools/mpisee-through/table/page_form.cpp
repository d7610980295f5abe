#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "table/forms.hpp"

namespace mpisee_through::table {
namespace {

Json heading(Heading const& column) {
  std::string const& title = column.title.find_first_not_of(' ') == std::string::npos ? column.key : column.title;
  return {{"key", column.key}, {"title", title}, {"kind", name_of(column.kind)}};
}

// A bound and a text with an order become objects, any other value stays plain.
Json cell(Value const& value) {
  if (value.order()) return {{"value", value.json()}, {"by", *value.order()}};
  if (value.bound() == Bound::none) return value.json();
  return {{"value", value.json()}, {"bound", words_of(value.bound())}};
}

using Indices = std::vector<std::size_t>;

// The page shows the columns of text without bars, or those of CSV if a view has no text.
Indices columns_of(Table const& table) {
  Indices columns = table.text_columns;
  std::erase_if(columns, [&](std::size_t column) { return table.columns[column].kind == Kind::bar; });
  if (!columns.empty()) return columns;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].is_in_csv()) columns.push_back(i);
  return columns;
}

// The columns that identify an outer line; JSON has the others.
Indices outer_columns(Table const& outer) {
  Indices columns;
  std::ranges::copy_if(outer.text_columns, std::back_inserter(columns),
                       [&](std::size_t column) { return outer.columns[column].data != only_json; });
  return columns;
}

void add_cells(Json& cells, Table const& table, Indices const& columns, std::size_t line) {
  for (std::size_t const column : columns) cells.push_back(cell(table.at(line, column)));
}

void add_headings(Json& all, Table const& table, Indices const& columns) {
  for (std::size_t const column : columns) all.push_back(heading(table.columns[column]));
}

}  // namespace

Json page_table(Table const& table) {
  Json headings = Json::array(), lines = Json::array();
  Indices const columns = columns_of(table);
  add_headings(headings, table, columns);
  for (std::size_t line = 0; line < table.lines; ++line)
    add_cells(lines.emplace_back(Json::array()), table, columns, line);
  return {{"name", table.name}, {"columns", std::move(headings)}, {"lines", std::move(lines)}};
}

Json page_table(Nested const& nested) {
  Json headings = Json::array(), lines = Json::array();
  Indices const outer = outer_columns(nested.outer);
  add_headings(headings, nested.outer, outer);
  Indices const inner = columns_of(nested.inner);
  add_headings(headings, nested.inner, inner);
  for (std::size_t line = 0; line < nested.inner.lines; ++line) {
    Json& cells = lines.emplace_back(Json::array());
    add_cells(cells, nested.outer, outer, nested.block_of(line));
    add_cells(cells, nested.inner, inner, line);
  }
  return {{"name", nested.inner.name}, {"columns", std::move(headings)}, {"lines", std::move(lines)}};
}

}  // namespace mpisee_through::table
