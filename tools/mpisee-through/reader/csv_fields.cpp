#include "reader/csv_fields.hpp"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include <algorithm>
#include <bit>

namespace mpisee_through {
namespace {

// Splits a line without quotes. Returns false, with useless fields, if the line has a quote.
bool split_without_quotes(std::string_view line, std::vector<std::string_view>& fields) {
  char const* field = line.data();
  char const* const end = field + line.size();
  char const* at = field;
#ifdef __SSE2__  // compares sixteen characters at a time
  __m128i const commas = _mm_set1_epi8(','), quotes = _mm_set1_epi8('"');
  for (; end - at >= 16; at += 16) {
    __m128i const block = _mm_loadu_si128(reinterpret_cast<__m128i const*>(at));
    if (_mm_movemask_epi8(_mm_cmpeq_epi8(block, quotes)) != 0) return false;
    auto found = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(block, commas)));
    for (; found != 0; found &= found - 1) {
      char const* const comma = at + std::countr_zero(found);
      fields.emplace_back(field, comma);
      field = comma + 1;
    }
  }
#endif
  for (; at != end; ++at) {
    if (*at == '"') return false;
    if (*at != ',') continue;
    fields.emplace_back(field, at);
    field = at + 1;
  }
  fields.emplace_back(field, end);
  return true;
}

// Reads a field that begins with a quote at `at`; moves `at` behind the closing quote.
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
  if (!line.empty() && split_without_quotes({line.data(), line.size()}, fields)) return Quoting::correct;
  fields.clear();
  return split_with_quotes(line, fields);
}

bool begins_without(std::span<char const> line, std::size_t place) {
  char const* at = line.data();
  char const* const end = at + line.size();
  for (; place > 0 && at != end; ++at) {
    if (*at == '"') return true;
    if (*at == ',') --place;
  }
  return at == end || *at == ',' || *at == '"';
}

}  // namespace mpisee_through
