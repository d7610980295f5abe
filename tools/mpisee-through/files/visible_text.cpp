#include "files/visible_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <locale.h>
#include <wchar.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/text.hpp"

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

// The length of the printable UTF-8 sequence at the front of a text that is not empty. 0 if the text begins with
// anything else.
std::size_t printable_sequence(std::string_view text) {
  std::size_t const length = commprof::utf8_length(text);
  return length == 0 || is_unsafe(decode(text.substr(0, length))) ? 0 : length;
}

struct Character {
  std::size_t bytes = 1, columns = 1;
};

// The first character of a text that is not empty. Uses a UTF-8 locale, because wcwidth() needs one to know the widths
// of East Asian and combining characters.
Character first_character(std::string_view text) {
  static locale_t const unicode = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  std::size_t const length = commprof::utf8_length(text);
  if (length <= 1) return {};
  if (unicode == nullptr) return {.bytes = length};
  locale_t const before = ::uselocale(unicode);
  int const columns = ::wcwidth(static_cast<wchar_t>(decode(text.substr(0, length))));
  ::uselocale(before);
  return {length, columns < 0 ? std::size_t{1} : static_cast<std::size_t>(columns)};
}

}  // namespace

std::string visible(std::string_view text) {
  if (std::ranges::all_of(text, [](char character) { return character >= ' ' && character <= '~'; }))
    return std::string(text);  // the usual case
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
  if (std::ranges::all_of(text, [](char byte) { return static_cast<unsigned char>(byte) < 0x80; })) return text.size();
  std::size_t width = 0;
  while (!text.empty()) {
    Character const first = first_character(text);
    width += first.columns;
    text.remove_prefix(first.bytes);
  }
  return width;
}

std::string shorten(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::string_view rest = text;
  for (std::size_t columns = 3; !rest.empty();) {
    Character const first = first_character(rest);
    columns += first.columns;
    if (columns > width) break;
    rest.remove_prefix(first.bytes);
  }
  return std::string(text.substr(0, text.size() - rest.size())) + "...";
}

std::string shorten_beginning(std::string_view text, std::size_t width) {
  std::size_t columns = display_width(text);
  if (columns <= width) return std::string(text);
  while (!text.empty() && columns + 3 > width) {
    Character const first = first_character(text);
    columns -= first.columns;
    text.remove_prefix(first.bytes);
  }
  return "..." + std::string(text);
}

namespace {

constexpr std::string_view behind = " < ", before_place = ", ";

std::vector<std::string_view> split_chain(std::string_view text) {
  std::vector<std::string_view> frames;
  for (;;) {
    std::size_t const end = text.find(behind);
    frames.push_back(text.substr(0, end));
    if (end == text.npos) return frames;
    text.remove_prefix(end + behind.size());
  }
}

// "solve, libsolver.so+0x4a2f" becomes "solve".
std::string_view without_module(std::string_view frame) {
  std::size_t const place = frame.rfind(before_place);
  bool const is_module = place != frame.npos && frame.find("+0x", place) != frame.npos;
  return is_module ? frame.substr(0, place) : frame;
}

}  // namespace

std::string shorten_site(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::vector<std::string_view> frames = split_chain(text);
  std::ranges::transform(frames, frames.begin(), without_module);
  std::string whole = fmt::format("{}", fmt::join(frames, behind));
  if (display_width(whole) <= width) return whole;
  std::string ends = fmt::format("{}{}{}", frames.front(), frames.size() > 2 ? " < ... < " : behind, frames.back());
  return frames.size() > 1 && display_width(ends) <= width ? ends : shorten_beginning(frames.front(), width);
}

}  // namespace mpisee_through
