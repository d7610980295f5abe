#include "profile/text_writer.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace commprof {

namespace {

constexpr char hex_digits[] = "0123456789abcdef";

}  // namespace

void TextWriter::flush() {
  if (size_ > 0) sink_(context_, buffer_, size_);
  size_ = 0;
}

TextWriter& TextWriter::raw_in_parts(std::string_view text) {
  while (!text.empty()) {
    if (size_ == capacity_) flush();
    std::size_t const part = std::min(text.size(), capacity_ - size_);
    std::memcpy(buffer_ + size_, text.data(), part);
    size_ += part;
    text.remove_prefix(part);
  }
  return *this;
}

TextWriter& TextWriter::number(std::uint64_t value) {
  char digits[20];
  return raw({digits, static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, value).ptr - digits)});
}

TextWriter& TextWriter::number(std::int64_t value) {
  if (value < 0) raw("-");
  return number(value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value));
}

TextWriter& TextWriter::hexadecimal(std::uint64_t value) {
  char digits[16];
  return raw("0x").raw(
      {digits, static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, value, 16).ptr - digits)});
}

TextWriter& TextWriter::seconds(std::uint64_t seconds, std::uint64_t nanoseconds) {
  number(seconds + nanoseconds / 1'000'000'000U);
  char decimals[10];  // the digit of a second keeps the zeros before the others, and gives its place to the point
  std::to_chars(decimals, decimals + sizeof decimals, 1'000'000'000U + nanoseconds % 1'000'000'000U);
  decimals[0] = '.';
  return raw({decimals, sizeof decimals});
}

TextWriter& TextWriter::field(std::string_view text) {
  // Most fields have nothing to quote or to escape: they are copied as a whole.
  bool const is_plain =
      std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~' && c != ',' && c != '"'; });
  if (is_plain) return raw(text);
  bool const quoted =
      text.find_first_of(",\"") != std::string_view::npos || text.starts_with(' ') || text.ends_with(' ');
  if (quoted) raw("\"");
  while (!text.empty()) {
    std::size_t const length = utf8_length(text);
    std::string_view const sequence = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0 || is_control(sequence)) {
      for (char const c : sequence) {
        auto const byte = static_cast<unsigned char>(c);
        char const escape[] = {'\\', 'x', hex_digits[byte >> 4], hex_digits[byte & 15]};
        raw({escape, sizeof escape});
      }
    } else {
      if (sequence == "\"") raw("\"");
      raw(sequence);
    }
    text.remove_prefix(sequence.size());
  }
  if (quoted) raw("\"");
  return *this;
}

TextWriter& TextWriter::json_string(std::string_view text) {
  raw("\"");
  while (!text.empty()) {
    std::size_t const length = utf8_length(text);
    std::string_view const sequence = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0) {
      raw("\xef\xbf\xbd");
    } else if (sequence == "\"" || sequence == "\\") {
      raw("\\").raw(sequence);
    } else if (is_control(sequence)) {
      auto const code = static_cast<unsigned char>(sequence.back());  // the last byte of U+0080 to U+009F is the code
      char const escape[] = {'\\', 'u', '0', '0', hex_digits[code >> 4], hex_digits[code & 15]};
      raw({escape, sizeof escape});
    } else {
      raw(sequence);
    }
    text.remove_prefix(sequence.size());
  }
  return raw("\"");
}

}  // namespace commprof
