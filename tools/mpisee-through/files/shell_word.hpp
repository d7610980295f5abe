#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace mpisee_through {

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
