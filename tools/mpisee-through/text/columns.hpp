#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace mpisee_through {

class KeptLines;

// Text in columns, two blanks apart. Several tables below each other share one object, so that they align.
class Columns {
 public:
  enum class Align { left, right };
  struct Column {
    std::string_view title;
    Align align;
  };

  Columns(std::size_t indent, std::vector<Column> columns);

  // Makes the column at least as wide as the text.
  void fit(std::size_t column, std::string_view text);
  // Makes the first columns at least as wide as the cells.
  void fit(std::vector<std::string> const& cells);
  // Makes each column at least as wide as in `others`.
  void fit(Columns const& others);
  // Narrows a column until lines fit the width; cuts its longer texts. Must follow all calls of fit(). The column keeps
  // the width of its title, and at least `least`.
  enum class Cut { end, site };  // site: as shorten_site() does
  void cut(std::size_t column, std::size_t width, Cut where = Cut::end, std::size_t least = 12);
  [[nodiscard]] std::size_t width() const;  // of a whole line
  // A line of cells, padded to width().
  [[nodiscard]] std::string line(std::vector<std::string> const& cells) const;
  [[nodiscard]] std::string line(KeptLines& lines) const;  // the next one
  [[nodiscard]] std::string titles() const;                // without trailing blanks
  // Prints a line without trailing blanks.
  void print(std::ostream& out, std::vector<std::string> const& cells) const;
  void print(std::ostream& out, KeptLines& lines) const;  // the next one

 private:
  void add_cell(std::string& line, std::size_t column, std::string_view cell) const;
  template <class Cells>
  [[nodiscard]] std::string line_of(Cells const& cells) const;

  std::size_t indent_;
  std::vector<Column> columns_;
  std::vector<std::size_t> widths_;
  std::optional<std::size_t> cut_;  // the column to cut
  Cut where_cut_ = Cut::end;
};

// The cells of many lines, kept until the columns are as wide as all of them need, in a fraction of the memory of
// single strings.
class KeptLines {
 public:
  void add(std::vector<std::string> const& cells);
  // The cells of the first line, at the next call those of the second, and so on. Valid until the next call.
  [[nodiscard]] std::vector<std::string_view> const& next();

 private:
  std::string text_;
  std::vector<std::uint32_t> sizes_;  // of each line, the number of its cells, and their sizes in the text
  std::size_t taken_ = 0, text_taken_ = 0;
  std::vector<std::string_view> cells_;
};

}  // namespace mpisee_through
