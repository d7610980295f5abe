#include "base/text.hpp"

#include <algorithm>
#include <array>

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

namespace {

constexpr std::size_t longest = 63;

bool is_same(char left, char right) { return lower(left) == lower(right); }

bool begins_with(std::string_view word, std::string_view beginning) {
  constexpr std::size_t least = 3;
  return beginning.size() >= least && word.size() >= beginning.size() &&
         std::equal(beginning.begin(), beginning.end(), word.begin(), is_same);
}

}  // namespace

// The Damerau-Levenshtein distance, in the variant in which no letter is changed twice.
std::size_t count_slips(std::string_view typed, std::string_view name) {
  typed = typed.substr(0, longest);
  name = name.substr(0, longest);
  using Row = std::array<std::size_t, longest + 1>;
  Row before_last{}, last{}, row{};
  for (std::size_t j = 0; j <= name.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= typed.size(); ++i) {
    before_last = last;
    last = row;
    row[0] = i;
    for (std::size_t j = 1; j <= name.size(); ++j) {
      std::size_t const replaced = last[j - 1] + (is_same(typed[i - 1], name[j - 1]) ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      bool const is_swapped =
          i > 1 && j > 1 && is_same(typed[i - 1], name[j - 2]) && is_same(typed[i - 2], name[j - 1]);
      if (is_swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[name.size()];
}

void NearestName::offer(std::string_view name) {
  bool const is_part = begins_with(name, typed_) || begins_with(typed_, name);
  std::size_t const counted = count_slips(typed_, name);
  std::size_t const slips = is_part ? std::min<std::size_t>(counted, 1) : counted;
  bool const is_near = is_part || slips <= std::max(typed_.size(), name.size()) / 3;
  if (!is_near || slips >= slips_) return;
  slips_ = slips;
  name_ = name;
}

}  // namespace commprof
