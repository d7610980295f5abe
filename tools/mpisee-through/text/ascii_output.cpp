#include "text/ascii_output.hpp"

#include <fmt/format.h>

#include <utility>

namespace mpisee_through {
namespace {

constexpr std::pair<std::string_view, std::string_view> likes[] = {
    {"µ", "u"}, {"×", "x"}, {"–", "-"}, {"…", "..."}, {"→", ">"}, {"±", "+-"}, {"▁", "1"},
    {"▂", "2"}, {"▃", "3"}, {"▄", "4"}, {"▅", "5"},   {"▆", "6"}, {"▇", "7"},  {"█", "8"}};

// The length of the UTF-8 character that begins with this byte.
std::size_t length_of(unsigned char first) { return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4; }

std::string ascii_of(std::string_view character) {
  for (auto const& [one, like] : likes) {
    if (character == one) return std::string(like);
  }
  std::string text;
  for (char const byte : character) text += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
  return text;
}

}  // namespace

AsciiOutput::int_type AsciiOutput::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof())) return traits_type::not_eof(character);
  char const byte = traits_type::to_char_type(character);
  if (pending_.empty() && static_cast<unsigned char>(byte) < 0x80) return target_->sputc(byte);
  pending_ += byte;
  if (pending_.size() < length_of(static_cast<unsigned char>(pending_.front()))) return character;
  std::string const text = ascii_of(std::exchange(pending_, {}));
  return put(text) ? character : traits_type::eof();
}

bool AsciiOutput::put(std::string_view text) {
  auto const size = static_cast<std::streamsize>(text.size());
  return target_->sputn(text.data(), size) == size;
}

}  // namespace mpisee_through
