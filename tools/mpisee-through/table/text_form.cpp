#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "reader/parallel.hpp"
#include "table/document.hpp"
#include "text/columns.hpp"
#include "text/units.hpp"

namespace mpisee_through::table {
namespace {

using Indices = std::vector<std::size_t>;

// Tables are at least as wide as this before a column is cut.
constexpr std::size_t least_width = 120;

Indices text_columns(Table const& table) {
  Indices columns = table.titled;
  std::erase_if(columns, [&](std::size_t column) { return !is_in(table.columns[column].in, In::text); });
  return columns;
}

Columns::Align align_of(Kind kind) { return is_to_the_left(kind) ? Columns::Align::left : Columns::Align::right; }

Columns titles_of(Table const& table, Indices const& shown) {
  std::vector<Columns::Column> titles;
  for (std::size_t const index : shown)
    titles.push_back({table.columns[index].title, align_of(table.columns[index].kind)});
  return {table.indent, titles};
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

std::string cell_of(Table const& table, std::size_t line, std::size_t column) {
  return table.at(line, column).text(table.columns[column].kind);
}

void keep_cells(Part& part, Table const& table, Indices const& shown) {
  std::vector<std::string> cells(shown.size());
  for (std::size_t line = part.begin; line < part.end; ++line) {
    for (std::size_t i = 0; i < shown.size(); ++i) cells[i] = cell_of(table, line, shown[i]);
    part.columns.fit(cells);
    part.lines.add(cells);
  }
}

// Gives all parts the same column widths, so that columns align across blocks.
void fit(Columns& columns, std::vector<Part> const& parts, Table const& table, Indices const& shown,
         std::size_t width) {
  for (Part const& part : parts) columns.fit(part.columns);
  auto const cut = std::ranges::find(
      shown, table.cut.title, [&](std::size_t column) -> std::string_view { return table.columns[column].title; });
  if (table.cut.title.empty() || cut == shown.end()) return;
  columns.cut(static_cast<std::size_t>(cut - shown.begin()), std::max(width, least_width),
              table.cut.is_site ? Columns::Cut::site : Columns::Cut::end, table.cut.least);
}

void print_titles(std::ostream& out, Columns const& columns, Terminal const& terminal) {
  out << terminal.bold(columns.titles()) << '\n';
}

void print_headings(std::ostream& out, Table const& table, std::size_t line, Columns const& columns,
                    Terminal const& terminal) {
  if (!table.heading) {
    if (line == 0) print_titles(out, columns, terminal);
    return;
  }
  std::string const heading = table.heading(line);
  if (heading.empty()) return;
  out << (line == 0 ? "" : "\n") << heading;
  print_titles(out, columns, terminal);
}

void write_transposed(std::ostream& out, Table const& table, Indices const& shown) {
  std::vector<std::vector<std::string>> lines;
  for (std::size_t const column : shown) {
    auto& cells = lines.emplace_back(1, table.columns[column].title);
    for (std::size_t line = 0; line < table.lines; ++line) cells.push_back(cell_of(table, line, column));
  }
  std::vector<Columns::Column> titles(table.lines + 1, {"", Columns::Align::right});
  titles.front().align = Columns::Align::left;
  Columns columns(table.indent, titles);
  for (auto const& cells : lines) columns.fit(cells);
  for (auto const& cells : lines) columns.print(out, cells);
}

void write_lines(std::ostream& out, Table const& table, Indices const& shown, Terminal const& terminal) {
  Columns columns = titles_of(table, shown);
  if (table.lines == 0) return;
  std::vector<Part> parts = divide(table.lines, columns);
  run_in_parallel(parts.size(), [&](std::size_t i) { keep_cells(parts[i], table, shown); });
  fit(columns, parts, table, shown, terminal.width);
  std::size_t const room = terminal.width - std::min(terminal.width, columns.width() + 2);
  run_in_parallel(parts.size(), [&](std::size_t i) {
    Part& part = parts[i];
    for (std::size_t line = part.begin; line < part.end; ++line) {
      print_headings(part.text, table, line, columns, terminal);
      bool const is_dim = terminal.color && table.is_dim && table.is_dim(line);
      if (is_dim) part.text << "\x1b[2m";
      std::string const behind = table.behind ? table.behind(line, room) : "";
      if (behind.empty()) columns.print(part.text, part.lines);
      else part.text << columns.line(part.lines) << "  " << behind << '\n';
      if (is_dim) part.text << "\x1b[0m";
      if (table.below_line) part.text << table.below_line(line);
    }
  });
  for (Part& part : parts) out << std::move(part.text).str();
}

}  // namespace

std::vector<std::size_t> order_of_titles(std::vector<Heading> const& columns,
                                         std::vector<std::string_view> const& titles) {
  std::vector<std::size_t> order;
  auto const add = [&](std::size_t column) {
    if (std::ranges::find(order, column) == order.end()) order.push_back(column);
  };
  for (std::string_view const title : titles) {
    if (std::ranges::find(columns, title, &Heading::title) == columns.end())
      throw std::logic_error(fmt::format("no column is called {}", title));
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i].title == title) add(i);
  }
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (!columns[i].title.empty()) add(i);
  return order;
}

std::string line_of(Note const& note) {
  return note.label.empty() ? note.text : fmt::format("{:<10} {}\n", note.label, note.text);
}

std::string hidden_in_words(Table const& table) {
  return table.hidden == 0
             ? ""
             : fmt::format("\nNot shown: {}. --top N shows more.\n", format_number_of(table.hidden, table.noun));
}

std::size_t width_of_text(Table const& table) {
  Indices const shown = text_columns(table);
  Columns columns = titles_of(table, shown);
  for (std::size_t line = 0; line < table.lines; ++line)
    for (std::size_t i = 0; i < shown.size(); ++i) columns.fit(i, cell_of(table, line, shown[i]));
  return columns.width();
}

void write_text(std::ostream& out, Table const& table, Terminal const& terminal) {
  Indices const shown = text_columns(table);
  out << table.above;
  if (table.lines == 0 && !table.if_empty.empty()) out << table.if_empty;
  else if (table.is_transposed) write_transposed(out, table, shown);
  else if (!shown.empty()) write_lines(out, table, shown, terminal);
  out << hidden_in_words(table) << table.below;
}

void write_text(std::ostream& out, Document const& document, Terminal const& terminal) {
  for (Note const& note : document.head) out << line_of(note);
  for (Note const& note : document.notes) out << line_of(note);
  bool is_separated = document.head.empty() && document.notes.empty();
  for (Table const& table : document.tables) {
    bool const says_nothing = table.lines == 0 && table.if_empty.empty() && table.above.empty() && table.below.empty();
    if (!is_in(table.in, In::text) || says_nothing) continue;
    if (!is_separated) out << '\n';
    write_text(out, table, terminal);
    is_separated = false;
  }
}

}  // namespace mpisee_through::table
