// Makes text from a file safe to print.
//
// Names in a profile come from the profiled program (MPI_Comm_set_name, its arguments). The writer escapes control
// characters, but a file can come from anywhere; a name must not move the cursor, change a terminal's title, or reorder
// its line.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

namespace mpisee_through {

// Returns valid UTF-8: the text itself if it is printable, without control characters (C0, DEL, C1), line separators
// and bidirectional controls; otherwise each offending byte becomes \xNN.
[[nodiscard]] std::string visible(std::string_view text);

// The columns of a terminal that valid UTF-8 occupies: two for an East Asian character, none for a combining one.
[[nodiscard]] std::size_t display_width(std::string_view text);

// The text if it fits the width; otherwise its beginning and "..." (shorten) or "..." and its end (shorten_beginning).
[[nodiscard]] std::string shorten(std::string_view text, std::size_t width);
[[nodiscard]] std::string shorten_beginning(std::string_view text, std::size_t width);
// The text of a call site, "solve, grid.c:88 < run, libsolver.so+0x4a2f < main, main.c:7", within a width: without the
// modules of known functions, then without the middle of the chain, then with the end of the function's name alone.
[[nodiscard]] std::string shorten_site(std::string_view text, std::size_t width);

// Quotes a word for a shell, only if it needs quotes.
[[nodiscard]] inline std::string shell_word(std::string_view text) {
  auto const is_plain = [](unsigned char character) {
    return std::isalnum(character) != 0 || character >= 0x80 ||
           std::string_view("_-+=./:,@%").find(static_cast<char>(character)) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return std::string(text);
  std::string quoted = "'";
  for (char const character : text) quoted += character == '\'' ? std::string("'\\''") : std::string(1, character);
  return quoted + "'";
}

}  // namespace mpisee_through
