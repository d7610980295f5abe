#include "base/utf8.hpp"

#include <algorithm>

namespace commprof {

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  auto const byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char const first = byte(0);
  if (first < 0x80) return 1;
  std::size_t const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  bool const is_overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  bool const is_surrogate = first == 0xed && byte(1) >= 0xa0;
  bool const is_beyond = first == 0xf4 && byte(1) >= 0x90;
  return is_overlong || is_surrogate || is_beyond ? 0 : length;
}

std::string_view whole_utf8(std::string_view text, std::size_t most_bytes) {
  constexpr std::size_t longest_sequence = 4;
  if (text.size() <= most_bytes) return text;
  for (std::size_t cut = 0; cut < std::min(longest_sequence, most_bytes); ++cut)
    if ((static_cast<unsigned char>(text[most_bytes - cut]) & 0xc0U) != 0x80) return text.substr(0, most_bytes - cut);
  return text.substr(0, most_bytes);  // not UTF-8
}

bool is_control(std::string_view sequence) {
  auto const first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first < 0x20 || first == 0x7f;
  return sequence.size() == 2 && first == 0xc2 && static_cast<unsigned char>(sequence[1]) < 0xa0;
}

}  // namespace commprof
