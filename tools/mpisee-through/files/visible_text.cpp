#include "files/visible_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace mpisee_through {
namespace {

unsigned byte_at(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

bool is_unsafe(unsigned code_point) {
  return code_point < 0x20 || (code_point >= 0x7f && code_point <= 0x9f) || code_point == 0x200e ||
         code_point == 0x200f || (code_point >= 0x2028 && code_point <= 0x202e) ||
         (code_point >= 0x2066 && code_point <= 0x2069);
}

// Length of the printable UTF-8 sequence at the front of a text that is not empty, 0 if there is none (Unicode 15,
// table 3-7).
std::size_t printable_sequence(std::string_view text) {
  unsigned const lead = byte_at(text, 0);
  if (lead < 0x80) return is_unsafe(lead) ? 0 : 1;
  std::size_t const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  unsigned code_point = lead & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte_at(text, i) & 0xc0U) != 0x80) return 0;
    code_point = code_point << 6U | (byte_at(text, i) & 0x3fU);
  }
  bool const overlong = (length == 3 && code_point < 0x800) || (length == 4 && code_point < 0x10000);
  bool const surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
  return overlong || surrogate || code_point > 0x10ffff || is_unsafe(code_point) ? 0 : length;
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

}  // namespace mpisee_through
