// Text out of a file, made safe to print.
//
// Names in a profile come from the profiled program (MPI_Comm_set_name, its arguments). The writer of the profile
// escapes control characters, but a file can come from anywhere, and a name must not move the cursor, change the title
// of a terminal, or reorder the line it stands in.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace mpisee_through {

// True if the text is printable UTF-8: no control characters (C0, DEL, C1), no line separators, no bidirectional
// controls.
[[nodiscard]] bool is_visible(std::string_view text);

// The text itself if is_visible; otherwise with each offending byte written as \xNN. The result is always valid UTF-8.
[[nodiscard]] std::string visible(std::string_view text);

// Columns that valid UTF-8 takes on a terminal: two for an East Asian character, none for a combining one.
[[nodiscard]] std::size_t display_width(std::string_view text);

// The text if it is no wider than that many columns; otherwise its beginning and "...", or "..." and its end.
[[nodiscard]] std::string shorten(std::string_view text, std::size_t width);
[[nodiscard]] std::string shorten_beginning(std::string_view text, std::size_t width);

}  // namespace mpisee_through
