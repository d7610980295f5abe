// A view is a list of columns. Each column is declared once: its name in data, its title in text, its kind, and a
// function from a line to a value. The forms (forms.hpp) know no view.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "table/value.hpp"

namespace mpisee_through::table {

// A column without its values, as the forms need it.
struct Heading {
  std::string key;    // in CSV and JSON; "before.calls" is before_calls in CSV, calls of the object before in JSON
  std::string title;  // in text; empty: the column is not in text
  Kind kind;
  enum class Data { both, csv, json, none } data = Data::both;
  bool has_bounds = false;  // adds a column KEY_bound after all others of data: at most, at least, estimated, or empty

  [[nodiscard]] bool is_in_csv() const { return data == Data::both || data == Data::csv; }
  [[nodiscard]] bool is_in_json() const { return data == Data::both || data == Data::json; }
};
inline constexpr Heading::Data only_csv = Heading::Data::csv, only_json = Heading::Data::json,
                               only_text = Heading::Data::none;

template <class Line>
struct Column {
  std::string key, title;
  Kind kind;
  std::function<Value(Line const&)> value;
  Heading::Data data = Heading::Data::both;
  bool has_bounds = false;
};

template <class Line>
[[nodiscard]] std::size_t index_of_key(std::vector<Column<Line>> const& columns, std::string_view key) {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (columns[i].key == key) return i;
  throw std::logic_error("no column has the key " + std::string(key));
}

// Selects a declared column by its key for a view, and its title in text: "calls", "calls=Calls"; "bytes:Volume" is in
// text only.
class Pick {
 public:
  explicit Pick(std::string_view words) : of(words.substr(0, words.find_first_of("=:"))), key(of) {
    if (of.size() == words.size()) return;
    title = words.substr(of.size() + 1);
    if (words[of.size()] == ':') data = only_text;
  }
  // Changes the key, or restricts the column to some data.
  [[nodiscard]] Pick as(std::string new_key) const {
    Pick pick = *this;
    pick.key = std::move(new_key);
    return pick;
  }
  [[nodiscard]] Pick in(Heading::Data some) const {
    Pick pick = *this;
    pick.data = some;
    return pick;
  }

  std::string of, key, title;
  Heading::Data data = Heading::Data::both;
};

// Parses a list of picks: "comm, size=Size, bytes:Volume".
[[nodiscard]] inline std::vector<Pick> picks(std::string_view list) {
  constexpr std::string_view between = ", ";
  std::vector<Pick> all;
  while (true) {
    std::size_t const end = list.find(between);
    all.emplace_back(list.substr(0, end));
    if (end == list.npos) return all;
    list.remove_prefix(end + between.size());
  }
}

// Appends columns declared for a part of the line, such as its totals. part: maps a line to its part, or to nothing;
// the values are then unknown.
template <class Line, class Part, class PartOf>
void add_columns(std::vector<Column<Line>>& columns, std::vector<Column<Part>> const& declared, PartOf part,
                 std::vector<Pick> const& chosen) {
  for (Pick const& pick : chosen) {
    Column<Part> const& one = declared.at(index_of_key(declared, pick.of));
    auto const value = [part, of_part = one.value](Line const& line) {
      std::optional<Part> const found = part(line);
      return found ? of_part(*found) : Value();
    };
    columns.push_back({pick.key, pick.title, one.kind, value, pick.data, one.has_bounds});
  }
}

template <class Line, class Part, class PartOf>
void add_columns(std::vector<Column<Line>>& columns, std::vector<Column<Part>> const& declared, PartOf part,
                 std::string_view chosen) {
  add_columns(columns, declared, part, picks(chosen));
}

// The column to cut if lines are too long.
struct CutColumn {
  std::string_view title;
  bool is_site = false;    // of call sites
  std::size_t least = 12;  // characters that it keeps, though the table is wider than the terminal then
};

template <class Line>
struct View {
  std::string name;  // key of the list in JSON
  std::vector<Column<Line>> columns;
  std::vector<std::string_view> text{};  // titles of the first columns, in order; other columns follow
  CutColumn cut{};
};

// Gives the picked columns their titles, in the order of text.
template <class Line>
void set_titles(View<Line>& view, std::vector<Pick> const& chosen) {
  for (Pick const& pick : chosen) view.columns[index_of_key(view.columns, pick.of)].title = pick.title;
  view.text.clear();
  for (Pick const& pick : chosen) view.text.push_back(view.columns[index_of_key(view.columns, pick.of)].title);
}

// A view and its lines, for the forms. Both must outlive it.
struct Table {
  std::string name;
  std::vector<Heading> columns;
  std::vector<std::size_t> text_columns;  // in the order of the text form
  CutColumn cut;
  std::size_t lines = 0;
  std::function<Value(std::size_t line, std::size_t column)> at;
  std::function<std::string(std::size_t line)> below{};  // whole lines of text to print below this line
  // Text after a line that has this room left; may be empty.
  std::function<std::string(std::size_t line, std::size_t room)> behind{};
  std::function<bool(std::size_t line)> is_dim{};                 // prints the line in grey, if text has colours
  std::function<void(std::size_t line, Json& object)> members{};  // adds members to the line's JSON object
};

// The columns with a title, in the order of `titles`. Throws std::logic_error for a title without a column.
[[nodiscard]] std::vector<std::size_t> order_of_text(std::vector<Heading> const& columns,
                                                     std::vector<std::string_view> const& titles);

template <class Line>
[[nodiscard]] Table table_of(View<Line> const& view, std::span<Line const> lines) {
  Table table{
      .name = view.name,
      .columns = {},
      .text_columns = {},
      .cut = view.cut,
      .lines = lines.size(),
      .at = [&view, lines](std::size_t line, std::size_t column) { return view.columns[column].value(lines[line]); }};
  for (Column<Line> const& one : view.columns)
    table.columns.push_back({one.key, one.title, one.kind, one.data, one.has_bounds});
  table.text_columns = order_of_text(table.columns, view.text);
  return table;
}
template <class Line>
[[nodiscard]] Table table_of(View<Line> const& view, std::vector<Line> const& lines) {
  return table_of(view, std::span<Line const>(lines));
}

// The first `top` items; all if top is empty.
template <class Item>
[[nodiscard]] std::span<Item const> first_of(std::vector<Item> const& items, std::optional<std::size_t> top) {
  if (!top) return items;
  return std::span(items).first(std::min(items.size(), *top));
}

// Lines below lines, such as a communicator and its operations. CSV repeats the outer columns, JSON nests, text prints
// headings.
struct Nested {
  Table outer;
  Table inner;
  std::vector<std::size_t> begin;                           // by outer line: index of its first inner line
  std::function<std::string(std::size_t outer)> heading{};  // whole lines of text above the inner lines

  // The outer line that this inner line belongs to.
  [[nodiscard]] std::size_t block_of(std::size_t line) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(begin, line) - begin.begin()) - 1;
  }
  [[nodiscard]] std::size_t end_of(std::size_t block) const {
    return block + 1 < begin.size() ? begin[block + 1] : inner.lines;
  }
};

}  // namespace mpisee_through::table
