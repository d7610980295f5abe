#include "reader/csv_fields.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "reader/line_reader.hpp"

namespace mpisee_through {
namespace {

using Word = std::uint64_t;
static_assert(sizeof(Word) <= LineReader::readable_beyond);

// Eight characters, the first one in the lowest byte.
Word load(char const* characters) {
  Word word = 0;
  std::memcpy(&word, characters, sizeof word);
  return std::endian::native == std::endian::little ? word : __builtin_bswap64(word);
}

// The highest bit of each byte that is a comma, and no other bit. Without carries from byte to byte: the lower seven
// bits of a difference reach the highest bit when 0x7f is added, unless they are all 0.
constexpr Word commas_in(Word word) {
  constexpr Word each = 0x0101010101010101U;
  constexpr Word lower = each * 0x7f;
  Word const difference = word ^ each * ',';
  return ~(((difference & lower) + lower) | difference | lower);
}
static_assert(commas_in(0x2c00'2d2b'ac2c'2cffU) == 0x8000'0000'0080'8000U);

// A field is a few bytes long: looking for each comma by itself would cost more than looking at words.
void split_without_quotes(std::string_view line, std::vector<std::string_view>& fields) {
  char const* const end = line.data() + line.size();
  char const* field = line.data();
  for (char const* word = field; word < end; word += sizeof(Word)) {
    for (Word commas = commas_in(load(word)); commas != 0; commas &= commas - 1) {
      char const* const comma = word + std::countr_zero(commas) / 8;
      if (comma >= end) break;
      fields.emplace_back(field, comma);
      field = comma + 1;
    }
  }
  fields.emplace_back(field, end);
}

// Reads a field that begins with a quote at `at`, which moves behind the closing one.
std::string_view take_quoted(char*& at, char const* end, Quoting& quoting) {
  char* const begin = at;
  char* written = at++;
  for (; at != end; *written++ = *at++) {
    if (*at != '"') continue;
    ++at;
    if (at == end || *at != '"') return {begin, written};
  }
  quoting = Quoting::not_closed;
  return {};
}

Quoting split_with_quotes(std::span<char> line, std::vector<std::string_view>& fields) {
  char* at = line.data();
  char* const end = at + line.size();
  while (true) {
    auto quoting = Quoting::correct;
    if (at != end && *at == '"') {
      fields.push_back(take_quoted(at, end, quoting));
      if (at != end && *at != ',') quoting = Quoting::text_after_quote;
    } else {
      char* const comma = std::find(at, end, ',');
      if (std::find(at, comma, '"') != comma) quoting = Quoting::quote_in_text;
      fields.emplace_back(at, comma);
      at = comma;
    }
    if (quoting != Quoting::correct || at == end) return quoting;
    ++at;
  }
}

}  // namespace

Quoting split_fields(std::span<char> line, std::vector<std::string_view>& fields) {
  fields.clear();
  if (line.empty() || std::memchr(line.data(), '"', line.size()) != nullptr) return split_with_quotes(line, fields);
  split_without_quotes({line.data(), line.size()}, fields);
  return Quoting::correct;
}

}  // namespace mpisee_through
