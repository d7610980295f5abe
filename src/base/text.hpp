// Texts from outside: which parts may be printed, and which known name a misspelled one means.
#pragma once

#include <cstddef>
#include <string_view>

namespace commprof {

// Checks which parts of a text from outside may be printed.
// The length of the valid UTF-8 sequence at the start of a text; 0 if the text does not begin with one.
std::size_t utf8_length(std::string_view text);

// The longest beginning of a text with at most this many bytes that ends in no sequence's middle.
std::string_view whole_utf8(std::string_view text, std::size_t most_bytes);

// Whether a valid sequence is a control character of ASCII or Latin-1, which terminals act on.
bool is_control(std::string_view sequence);

// In ASCII.
constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Finds the known name closest to a misspelled one, for "did you mean …?".
// The number of letters to insert, remove, replace or swap with a neighbour to change one word into the other. Ignores
// case, and letters after the 63rd.
std::size_t count_slips(std::string_view typed, std::string_view name);

// Compares a word with each name offered, and keeps the nearest. Allocates nothing.
class NearestName {
 public:
  explicit NearestName(std::string_view typed) : typed_(typed) {}

  // A name is near if at most a third of the longer word's letters are wrong, or if one word begins with the other,
  // which has at least three letters. Among equally near names, the first one offered wins.
  void offer(std::string_view name);

  // Empty if no name is near.
  [[nodiscard]] std::string_view name() const { return name_; }

 private:
  std::string_view typed_;
  std::string_view name_;
  std::size_t slips_ = static_cast<std::size_t>(-1);
};

}  // namespace commprof
