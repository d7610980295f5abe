// A view is a list of columns. Each column is declared once: its name in data, its title for people, its kind, and a
// function from a line to a value. A view and its lines make a table. The forms (document.hpp) know no view.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "table/value.hpp"

namespace mpisee_through::table {

// Where a column or a table is: in text, CSV, JSON, on a page.
enum class In : unsigned { text = 1, csv = 2, json = 4, data = csv | json, page = 8, people = text | page, all = 15 };
[[nodiscard]] constexpr In operator~(In set) { return static_cast<In>(15U & ~static_cast<unsigned>(set)); }
[[nodiscard]] constexpr In operator|(In one, In other) {
  return static_cast<In>(static_cast<unsigned>(one) | static_cast<unsigned>(other));
}
[[nodiscard]] constexpr bool is_in(In set, In form) {
  return (static_cast<unsigned>(set) & static_cast<unsigned>(form)) != 0;
}

// A column without its values, as the forms need it.
struct Heading {
  std::string key;    // in CSV and JSON
  std::string title;  // for people; empty: only in data
  Kind kind;
  In in = In::all;
  bool has_bounds = false;  // adds a column KEY_bound after all others of data: at most, at least, estimated, or empty
};

template <class Line>
struct Column {
  std::string key, title;
  Kind kind;
  std::function<Value(Line const&)> value;
  In in = In::all;
  bool has_bounds = false;

  [[nodiscard]] Column titled(std::string_view its_title) const {
    Column column = *this;
    column.title = its_title;
    return column;
  }
  [[nodiscard]] Column as(std::string_view its_key) const {
    Column column = *this;
    column.key = its_key;
    return column;
  }
  [[nodiscard]] Column only(In where) const {
    Column column = *this;
    column.in = where;
    return column;
  }
};

// Appends columns declared for a part of the line, such as its totals. part: maps a line to its part, or to nothing;
// the values are then unknown.
template <class Line, class PartOf, class Columns>
void add_columns(std::vector<Column<Line>>& columns, PartOf part, Columns const& declared) {
  for (auto const& one : declared) {
    auto const value = [part, of_part = one.value](Line const& line) {
      auto const& found = std::invoke(part, line);
      if constexpr (requires { found.has_value(); }) return found ? of_part(*found) : Value();
      else return of_part(found);
    };
    columns.push_back({one.key, one.title, one.kind, value, one.in, one.has_bounds});
  }
}
template <class Line, class PartOf, class Part>
void add_columns(std::vector<Column<Line>>& columns, PartOf part, std::initializer_list<Column<Part>> declared) {
  add_columns<Line, PartOf, std::initializer_list<Column<Part>>>(columns, part, declared);
}

// The column to cut if lines are too long.
struct CutColumn {
  std::string_view title;
  bool is_site = false;    // of call sites
  std::size_t least = 12;  // characters that it keeps, though the table is wider than the terminal then
};

template <class Line>
struct View {
  std::string name;
  std::vector<Column<Line>> columns;
  std::vector<std::string_view> titles{};  // of the first columns for people, in order; other columns follow
  CutColumn cut{};
};

// A view and its lines, for the forms. What the lines refer to must outlive it.
struct Table {
  std::string name;
  std::vector<Heading> columns;
  std::vector<std::size_t> titled;  // columns with titles, in the order for people
  CutColumn cut;
  std::size_t lines = 0;
  std::function<Value(std::size_t line, std::size_t column)> at;
  In in = In::all;
  // Whole lines of text: around the table, and in place of it. A table without both lines and these words is left out.
  std::string above{}, below{}, if_empty{};
  std::size_t hidden = 0;  // lines beyond --top
  std::string_view noun = "line";
  // The following concern a page alone: a title, and how to draw the lines (report/page/src/drawing.js). Null: only a
  // table.
  std::string title{};
  Json drawing{};
  // The following concern text alone.
  std::size_t indent = 0;
  bool is_transposed = false;                                     // prints a line for each column
  std::function<std::string(std::size_t line)> heading{};         // whole lines above the first line of a block
  std::function<std::string(std::size_t line)> below_line{};      // whole lines below this line
  std::function<std::string(std::size_t, std::size_t)> behind{};  // what follows a line that has this room left
  std::function<bool(std::size_t line)> is_dim{};                 // prints the line in grey, if text has colours
};

// The columns with a title, in the order of `titles`. Throws std::logic_error for a title without a column.
[[nodiscard]] std::vector<std::size_t> order_of_titles(std::vector<Heading> const& columns,
                                                       std::vector<std::string_view> const& titles);

// top: how many of the lines to show.
template <class Line>
[[nodiscard]] Table table_of(View<Line> const& view, std::vector<Line> lines, std::optional<std::size_t> top = {}) {
  Table table{.name = view.name, .columns = {}, .titled = {}, .cut = view.cut, .at = {}};
  table.lines = std::min(lines.size(), top.value_or(lines.size()));
  table.hidden = lines.size() - table.lines;
  for (Column<Line> const& one : view.columns)
    table.columns.push_back({one.key, one.title, one.kind, one.in, one.has_bounds});
  table.titled = order_of_titles(table.columns, view.titles);
  auto const held =
      std::make_shared<std::pair<std::vector<Column<Line>>, std::vector<Line>>>(view.columns, std::move(lines));
  table.at = [held](std::size_t line, std::size_t column) { return held->first[column].value(held->second[line]); };
  return table;
}

// Lines of text among the tables, for text alone.
[[nodiscard]] inline Table words_alone(std::string words) {
  return {.name = {}, .columns = {}, .titled = {}, .cut = {}, .at = {}, .in = In::text, .above = std::move(words)};
}

// The first `top` items; all if top is empty.
template <class Item>
[[nodiscard]] std::span<Item const> first_of(std::vector<Item> const& items, std::optional<std::size_t> top) {
  if (!top) return items;
  return std::span(items).first(std::min(items.size(), *top));
}

// Says which line is the first of its block: of the lines for which `block_of` gives the same.
template <class BlockOf, class Heading>
[[nodiscard]] std::function<std::string(std::size_t)> headings(BlockOf block_of, Heading heading) {
  return [=](std::size_t line) {
    bool const is_first = line == 0 || block_of(line) != block_of(line - 1);
    return is_first ? heading(block_of(line)) : std::string();
  };
}

}  // namespace mpisee_through::table
