#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "reader/parallel.hpp"
#include "table/forms.hpp"
#include "text/columns.hpp"
#include "text/units.hpp"

namespace mpisee_through::table {
namespace {

std::vector<Columns::Column> titles_of(Table const& table) {
  std::vector<Columns::Column> titles;
  for (std::size_t const index : table.text_columns) {
    Heading const& column = table.columns[index];
    titles.push_back({column.title, is_to_the_left(column.kind) ? Columns::Align::left : Columns::Align::right});
  }
  return titles;
}

// The lines that one thread formats.
struct Part {
  std::size_t begin, end;
  Columns columns;          // as wide as these lines need
  KeptLines lines{};        // the cells of these lines
  std::ostringstream text;  // the formatted lines
};

std::vector<Part> divide(std::size_t lines, Columns const& columns) {
  constexpr std::size_t worth_a_thread = 1024;
  std::size_t const count = std::clamp<std::size_t>(lines / worth_a_thread, 1, 4 * threads_at_once());
  std::vector<Part> parts;
  for (std::size_t i = 0; i < count; ++i)
    parts.push_back({lines * i / count, lines * (i + 1) / count, columns, {}, {}});
  return parts;
}

void fill(std::vector<std::string>& cells, Table const& table, std::size_t line) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::size_t const column = table.text_columns[i];
    cells[i] = table.at(line, column).text(table.columns[column].kind);
  }
}

void keep_cells(Part& part, Table const& table) {
  std::vector<std::string> cells(table.text_columns.size());
  for (std::size_t line = part.begin; line < part.end; ++line) {
    fill(cells, table, line);
    part.columns.fit(cells);
    part.lines.add(cells);
  }
}

// Gives all parts the same column widths, so that columns align across blocks.
void fit(Columns& columns, std::vector<Part> const& parts, Table const& table, std::size_t width) {
  for (Part const& part : parts) columns.fit(part.columns);
  auto const cut = std::ranges::find(table.text_columns, table.cut.title, [&](std::size_t column) -> std::string_view {
    return table.columns[column].title;
  });
  if (table.cut.title.empty() || cut == table.text_columns.end()) return;
  columns.cut(static_cast<std::size_t>(cut - table.text_columns.begin()), width,
              table.cut.is_site ? Columns::Cut::site : Columns::Cut::end, table.cut.least);
}

// above: prints text above a line.
template <class Above>
void write_lines(std::ostream& out, Table const& table, TextLayout const& layout, Above above) {
  Columns columns(layout.indent, titles_of(table));
  if (table.lines == 0) return columns.print_titles(out);
  std::vector<Part> parts = divide(table.lines, columns);
  run_in_parallel(parts.size(), [&](std::size_t i) { keep_cells(parts[i], table); });
  fit(columns, parts, table, layout.width);
  std::size_t const room = layout.width - std::min(layout.width, columns.width() + 2);
  run_in_parallel(parts.size(), [&](std::size_t i) {
    Part& part = parts[i];
    for (std::size_t line = part.begin; line < part.end; ++line) {
      above(part.text, line, columns);
      bool const is_dim = table.is_dim && table.is_dim(line);
      if (is_dim) part.text << "\x1b[2m";
      std::string const behind = table.behind ? table.behind(line, room) : "";
      if (behind.empty()) columns.print(part.text, part.lines);
      else part.text << columns.line(part.lines) << "  " << behind << '\n';
      if (is_dim) part.text << "\x1b[0m";
      if (table.below) part.text << table.below(line);
    }
  });
  for (Part& part : parts) out << std::move(part.text).str();
}

}  // namespace

std::vector<std::size_t> order_of_text(std::vector<Heading> const& columns,
                                       std::vector<std::string_view> const& titles) {
  std::vector<std::size_t> order;
  for (std::string_view const title : titles) {
    auto const found = std::ranges::find(columns, title, &Heading::title);
    if (found == columns.end()) throw std::logic_error(fmt::format("no column is called {}", title));
    order.push_back(static_cast<std::size_t>(found - columns.begin()));
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    bool const is_listed = std::ranges::find(order, i) != order.end();
    if (!columns[i].title.empty() && !is_listed) order.push_back(i);
  }
  return order;
}

void write_text(std::ostream& out, Table const& table, TextLayout const& layout) {
  auto const above = [&](std::ostream& text, std::size_t line, Columns const& columns) {
    if (line > 0) return;
    if (layout.style_of_titles) text << layout.style_of_titles(columns.titles()) << '\n';
    else columns.print_titles(text);
  };
  write_lines(out, table, layout, above);
}

void write_text(std::ostream& out, Nested const& nested, TextLayout const& layout) {
  auto const above = [&](std::ostream& text, std::size_t line, Columns const& columns) {
    std::size_t const block = nested.block_of(line);
    if (line != nested.begin[block]) return;
    text << (line == 0 ? "" : "\n") << nested.heading(block);
    columns.print_titles(text);
  };
  write_lines(out, nested.inner, layout, above);
}

TextCells text_cells(Table const& table) {
  TextCells cells(1);
  for (std::size_t const column : table.text_columns) cells.front().push_back(table.columns[column].title);
  for (std::size_t line = 0; line < table.lines; ++line) {
    cells.emplace_back(table.text_columns.size());
    fill(cells.back(), table, line);
  }
  return cells;
}

void say_hidden(std::ostream& out, std::size_t hidden, std::string_view noun) {
  if (hidden > 0) out << "\nNot shown, beyond --top: " << format_number_of(hidden, noun) << ".\n";
}

}  // namespace mpisee_through::table
