#include "text/columns.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "files/visible_text.hpp"

namespace mpisee_through {
namespace {

std::string_view without_blanks_at_end(std::string_view line) { return line.substr(0, line.find_last_not_of(' ') + 1); }

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

void Columns::cut(std::size_t column, std::size_t width, Cut where, std::size_t least) {
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

void Columns::add_cell(std::string& line, std::size_t column, std::string_view cell) const {
  std::size_t const width = display_width(cell);
  std::size_t const padding = widths_[column] - std::min(width, widths_[column]);
  if (column > 0) line += "  ";
  if (columns_[column].align == Align::right) line.append(padding, ' ');
  line += cell;
  if (columns_[column].align == Align::left) line.append(padding, ' ');
}

template <class Cells>
std::string Columns::line_of(Cells const& cells) const {
  std::string line(indent_, ' ');
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (cut_ != i) add_cell(line, i, cells[i]);
    else if (where_cut_ == Cut::end) add_cell(line, i, shorten(cells[i], widths_[i]));
    else add_cell(line, i, shorten_site(cells[i], widths_[i]));
  }
  return line;
}

std::string Columns::line(std::vector<std::string> const& cells) const { return line_of(cells); }

std::string Columns::line(KeptLines& lines) const { return line_of(lines.next()); }

std::string Columns::titles() const {
  std::vector<std::string> titles;
  for (Column const& column : columns_) titles.emplace_back(column.title);
  return std::string(without_blanks_at_end(line(titles)));
}

void Columns::print(std::ostream& out, std::vector<std::string> const& cells) const {
  out << without_blanks_at_end(line(cells)) << '\n';
}

void Columns::print(std::ostream& out, KeptLines& lines) const { out << without_blanks_at_end(line(lines)) << '\n'; }

void KeptLines::add(std::vector<std::string> const& cells) {
  sizes_.push_back(static_cast<std::uint32_t>(cells.size()));
  for (std::string const& cell : cells) {
    sizes_.push_back(static_cast<std::uint32_t>(cell.size()));
    text_ += cell;
  }
}

std::vector<std::string_view> const& KeptLines::next() {
  cells_.clear();
  for (std::uint32_t left = sizes_[taken_++]; left > 0; --left) {
    std::size_t const size = sizes_[taken_++];
    cells_.push_back(std::string_view(text_).substr(text_taken_, size));
    text_taken_ += size;
  }
  return cells_;
}

}  // namespace mpisee_through
