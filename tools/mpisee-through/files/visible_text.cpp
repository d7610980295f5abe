#include "files/visible_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/utf8.hpp"

namespace mpisee_through {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

bool is_unsafe(unsigned code_point) {
  return code_point < 0x20 || (code_point >= 0x7f && code_point <= 0x9f) || code_point == 0x200e ||
         code_point == 0x200f || (code_point >= 0x2028 && code_point <= 0x202e) ||
         (code_point >= 0x2066 && code_point <= 0x2069);
}

// The code point of a valid UTF-8 sequence.
unsigned decode(std::string_view sequence) {
  if (sequence.size() == 1) return byte_at(sequence, 0);
  unsigned code_point = byte_at(sequence, 0) & (0xffU >> (sequence.size() + 1));
  for (std::size_t i = 1; i < sequence.size(); ++i) code_point = code_point << 6U | (byte_at(sequence, i) & 0x3fU);
  return code_point;
}

// Length of the printable UTF-8 sequence at the front of a text that is not empty, 0 if there is none.
std::size_t printable_sequence(std::string_view text) {
  std::size_t const length = commprof::utf8_length(text);
  return length == 0 || is_unsafe(decode(text.substr(0, length))) ? 0 : length;
}

}  // namespace

bool is_visible(std::string_view text) {
  while (!text.empty()) {
    std::size_t const length = printable_sequence(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string visible(std::string_view text) {
  if (std::ranges::all_of(text, [](char character) { return character >= ' ' && character <= '~'; }))
    return std::string(text);  // nearly all names
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    std::size_t const length = printable_sequence(text);
    if (length == 0) {
      fmt::format_to(std::back_inserter(shown), "\\x{:02x}", byte_at(text, 0));
      text.remove_prefix(1);
    } else {
      shown.append(text.substr(0, length));
      text.remove_prefix(length);
    }
  }
  return shown;
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0U) != 0x80; }));
}

std::string shorten(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::size_t columns = 0;
  std::size_t end = 0;
  for (; end < text.size(); ++end) {
    bool const begins_character = (static_cast<unsigned char>(text[end]) & 0xc0U) != 0x80U;
    if (begins_character && ++columns + 3 > width) break;
  }
  return std::string(text.substr(0, end)) + "...";
}

std::string shorten_beginning(std::string_view text, std::size_t width) {
  std::size_t columns = display_width(text);
  if (columns <= width) return std::string(text);
  std::size_t begin = 0;
  for (; begin < text.size() && columns + 3 > width; --columns) {
    ++begin;
    while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xc0U) == 0x80U) ++begin;
  }
  return "..." + std::string(text.substr(begin));
}

}  // namespace mpisee_through
