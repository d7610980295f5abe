#include "reader/csv_fields.hpp"

#include <algorithm>
#include <cstring>

namespace mpisee_through {
namespace {

void split_without_quotes(std::string_view line, std::vector<std::string_view>& fields) {
  char const* field = line.data();
  char const* const end = field + line.size();
  for (char const* at = field; at != end; ++at) {
    if (*at != ',') continue;
    fields.emplace_back(field, at);
    field = at + 1;
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
