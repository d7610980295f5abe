// Text for people: cells in columns, two blanks apart.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "files/visible_text.hpp"
#include "reader/profile_reader.hpp"
#include "table/document.hpp"
#include "text/units.hpp"

namespace mpisee_through::table {
namespace {

// Tables are at least as wide as this before a column is cut.
constexpr std::size_t least_width = 120;

void add_cell(std::string& line, std::string_view cell, std::size_t width, bool to_the_left) {
  std::size_t const padding = width - std::min(display_width(cell), width);
  if (!to_the_left) line.append(padding, ' ');
  line += cell;
  if (to_the_left) line.append(padding, ' ');
}

void remove_blanks_at_end(std::string& line) { line.erase(line.find_last_not_of(' ') + 1); }

// The columns of a table, each as wide as its title and all its cells.
class Columns {
 public:
  explicit Columns(Table const& table) : table_(table), shown_(table.titled) {
    std::erase_if(shown_, [&](std::size_t column) { return !is_in(table.columns[column].in, In::text); });
    for (std::size_t const column : shown_) widths_.push_back(display_width(table.columns[column].title));
    constexpr std::size_t at_once = 1024;  // lines of a thread
    std::vector<std::vector<std::size_t>> parts((table.lines + at_once - 1) / at_once, widths_);
    run_in_parallel(parts.size(), [&](std::size_t part) {
      for (std::size_t line = part * at_once; line < std::min(table.lines, (part + 1) * at_once); ++line)
        for (std::size_t i = 0; i < shown_.size(); ++i)
          parts[part][i] = std::max(parts[part][i], display_width(cell(line, i)));
    });
    for (auto const& widths : parts)
      for (std::size_t i = 0; i < shown_.size(); ++i) widths_[i] = std::max(widths_[i], widths[i]);
  }

  // Narrows a column until lines fit the width, and cuts its longer cells. It keeps the width of its title.
  void cut(CutColumn const& column, std::size_t width) {
    auto const found = std::ranges::find(
        shown_, column.title, [&](std::size_t one) -> std::string_view { return table_.columns[one].title; });
    if (column.title.empty() || found == shown_.end() || this->width() <= width) return;
    cut_ = static_cast<std::size_t>(found - shown_.begin());
    std::size_t& its_width = widths_[cut_];
    std::size_t const least = std::max(column.least, display_width(column.title)), excess = this->width() - width;
    its_width = std::min(its_width, std::max(its_width - std::min(excess, its_width), least));
  }

  [[nodiscard]] bool empty() const { return shown_.empty(); }
  [[nodiscard]] std::size_t width() const {  // of a whole line
    return std::accumulate(widths_.begin(), widths_.end(), table_.indent + 2 * (widths_.size() - 1));
  }

  [[nodiscard]] std::string titles() const {
    std::string titles = padded([&](std::size_t i) { return table_.columns[shown_[i]].title; });
    remove_blanks_at_end(titles);
    return titles;
  }
  // A line, padded to width().
  [[nodiscard]] std::string line(std::size_t line) const {
    return padded([&](std::size_t i) {
      std::string text = cell(line, i);
      if (i != cut_) return text;
      return table_.cut.is_site ? shorten_site(text, widths_[i]) : shorten(text, widths_[i]);
    });
  }
  [[nodiscard]] std::string cell(std::size_t line, std::size_t i) const {
    return table_.at(line, shown_[i]).text(table_.columns[shown_[i]].kind);
  }

  // A line for each column.
  void write_transposed(std::ostream& out) const {
    std::vector<std::size_t> widths(table_.lines);
    std::size_t width_of_titles = 0;
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      width_of_titles = std::max(width_of_titles, display_width(table_.columns[shown_[i]].title));
      for (std::size_t line = 0; line < table_.lines; ++line)
        widths[line] = std::max(widths[line], display_width(cell(line, i)));
    }
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      std::string text(table_.indent, ' ');
      add_cell(text, table_.columns[shown_[i]].title, width_of_titles, true);
      for (std::size_t line = 0; line < table_.lines; ++line)
        add_cell(text += "  ", cell(line, i), widths[line], false);
      out << text << '\n';
    }
  }

 private:
  template <class CellOf>
  [[nodiscard]] std::string padded(CellOf const& cell_of) const {
    std::string line(table_.indent, ' ');
    for (std::size_t i = 0; i < shown_.size(); ++i) {
      if (i > 0) line += "  ";
      add_cell(line, cell_of(i), widths_[i], is_to_the_left(table_.columns[shown_[i]].kind));
    }
    return line;
  }

  Table const& table_;
  std::vector<std::size_t> shown_;  // columns
  std::vector<std::size_t> widths_;
  std::size_t cut_ = SIZE_MAX;  // the column to cut
};

void write_lines(std::ostream& out, Table const& table, Columns const& columns, Terminal const& terminal) {
  std::size_t const room = terminal.width - std::min(terminal.width, columns.width() + 2);
  std::string const titles = terminal.bold(columns.titles()) + '\n';
  write_in_order(out, table.lines, [&](std::string& text, std::size_t line) {
    std::string const heading = table.heading ? table.heading(line) : "";
    if (line > 0 && !heading.empty()) text += '\n';
    text += heading;
    if (table.heading ? !heading.empty() : line == 0) text += titles;
    bool const is_dim = terminal.color && table.is_dim && table.is_dim(line);
    if (is_dim) text += "\x1b[2m";
    std::string const behind = table.behind ? table.behind(line, room) : "";
    text += columns.line(line);
    if (behind.empty()) remove_blanks_at_end(text);
    else text.append("  ").append(behind);
    text += '\n';
    if (is_dim) text += "\x1b[0m";
    if (table.below_line) text += table.below_line(line);
  });
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

std::size_t width_of_text(Table const& table) { return Columns(table).width(); }

void write_text(std::ostream& out, Table const& table, Terminal const& terminal) {
  out << table.above;
  if (table.lines == 0 && !table.if_empty.empty()) {
    out << table.if_empty;
  } else if (Columns columns(table); table.is_transposed) {
    columns.write_transposed(out);
  } else if (!columns.empty() && table.lines > 0) {
    columns.cut(table.cut, std::max(terminal.width, least_width));
    write_lines(out, table, columns, terminal);
  }
  if (table.hidden > 0)
    out << fmt::format("\nNot shown: {}. --top N shows more.\n", format_number_of(table.hidden, table.noun));
  out << table.below;
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
