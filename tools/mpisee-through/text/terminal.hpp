#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "files/names.hpp"

namespace mpisee_through {

enum class ColorWhen { automatic, always, never };
inline constexpr Names<ColorWhen, 3> color_times{
    {{{ColorWhen::automatic, "auto"}, {ColorWhen::always, "always"}, {ColorWhen::never, "never"}}}};

// What text goes to, and what it can show.
struct Terminal {
  std::size_t width = default_width;
  bool is_terminal = false;
  bool color = false;
  bool utf8 = true;

  static constexpr std::size_t default_width = 100;
  static constexpr std::size_t least_width = 60;

  [[nodiscard]] std::string bold(std::string_view text) const { return paint("1", text); }
  [[nodiscard]] std::string dim(std::string_view text) const { return paint("2", text); }
  [[nodiscard]] std::string cyan(std::string_view text) const { return paint("36", text); }
  [[nodiscard]] std::string yellow(std::string_view text) const { return paint("33;1", text); }

  // A bar of a part of the whole, 0 to 1, without blanks behind it. The smallest part that is not nothing has one.
  [[nodiscard]] std::string bar(double part, std::size_t length) const;

 private:
  [[nodiscard]] std::string paint(std::string_view code, std::string_view text) const;
};

// Standard output. The width is, in this order: what was asked for, COLUMNS, the terminal's, 100. Colours need a
// terminal and no NO_COLOR; UTF-8 is what LC_ALL, LC_CTYPE or LANG, the first that is set, names.
[[nodiscard]] Terminal find_terminal(std::optional<std::size_t> width, ColorWhen color);

// Words in lines of this width, all behind an indentation; the first line's is there already. A word that is longer
// than a line has one of its own.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t width, std::size_t indent);

}  // namespace mpisee_through
