#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace mpisee_through {

// Lines of text in columns, two blanks apart. Made once for many tables that stand below each other and should align.
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
  // The same for the first columns, in order.
  void fit(std::vector<std::string> const& cells);
  // The same as wide as those.
  void fit(Columns const& others);
  // Narrows a column, once all texts have been fitted, so that lines are not longer than the width; its longer texts
  // are cut. The column keeps the width of its title, and 12 at least.
  enum class Cut { end, beginning };
  void cut(std::size_t column, std::size_t width, Cut where = Cut::end);
  [[nodiscard]] std::size_t width() const;  // of a whole line
  // A line as wide as width().
  [[nodiscard]] std::string line(std::vector<std::string> const& cells) const;
  [[nodiscard]] std::string titles() const;
  // The same without blanks at the end.
  void print_titles(std::ostream& out) const;
  void print(std::ostream& out, std::vector<std::string> const& cells) const;

 private:
  std::size_t indent_;
  std::vector<Column> columns_;
  std::vector<std::size_t> widths_;
  std::optional<std::size_t> cut_;  // a column
  Cut where_cut_ = Cut::end;
};

}  // namespace mpisee_through
