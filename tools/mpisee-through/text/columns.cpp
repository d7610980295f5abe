#include "text/columns.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "files/visible_text.hpp"

namespace mpisee_through {
namespace {

void print_line(std::ostream& out, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  out << line << '\n';
}

}  // namespace

Columns::Columns(std::size_t indent, std::vector<Column> columns) : indent_(indent), columns_(std::move(columns)) {
  for (Column const& column : columns_) widths_.push_back(display_width(column.title));
}

void Columns::fit(std::size_t column, std::string_view text) {
  widths_[column] = std::max(widths_[column], display_width(text));
}

void Columns::fit(std::vector<std::string> const& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) fit(i, cells[i]);
}

void Columns::fit(Columns const& others) {
  for (std::size_t i = 0; i < widths_.size(); ++i) widths_[i] = std::max(widths_[i], others.widths_[i]);
}

void Columns::cut(std::size_t column, std::size_t width, Cut where) {
  constexpr std::size_t least = 12;
  std::size_t const excess = this->width() > width ? this->width() - width : 0;
  std::size_t const narrowest = std::max(least, display_width(columns_[column].title));
  if (excess == 0 || widths_[column] <= narrowest) return;
  widths_[column] = std::max(widths_[column] - std::min(excess, widths_[column]), narrowest);
  cut_ = column;
  where_cut_ = where;
}

std::size_t Columns::width() const {
  return std::accumulate(widths_.begin(), widths_.end(), indent_ + 2 * (widths_.size() - 1));
}

std::string Columns::line(std::vector<std::string> const& cells) const {
  std::string line(indent_, ' ');
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::string const cell = cut_ != i                ? cells[i]
                             : where_cut_ == Cut::end ? shorten(cells[i], widths_[i])
                                                      : shorten_beginning(cells[i], widths_[i]);
    std::size_t const width = display_width(cell);
    std::string const padding(widths_[i] - std::min(width, widths_[i]), ' ');
    if (i > 0) line += "  ";
    line += columns_[i].align == Align::right ? padding + cell : cell + padding;
  }
  return line;
}

std::string Columns::titles() const {
  std::vector<std::string> titles;
  for (Column const& column : columns_) titles.emplace_back(column.title);
  return line(titles);
}

void Columns::print_titles(std::ostream& out) const { print_line(out, titles()); }

void Columns::print(std::ostream& out, std::vector<std::string> const& cells) const { print_line(out, line(cells)); }

}  // namespace mpisee_through
