#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace mpisee_through {

enum class Quoting { correct, not_closed, text_after_quote, quote_in_text };

// Splits a line of RFC 4180 into its fields. A line is a record, so quoted fields cannot contain line breaks. Removes
// quotes in place: the fields point into the line.
[[nodiscard]] Quoting split_fields(std::span<char> line, std::vector<std::string_view>& fields);

// A quick check whether field number `place` may be empty. True also for a line in which quotes prevent a quick answer.
[[nodiscard]] bool begins_without(std::span<char const> line, std::size_t place);

// Parses times as profiles have them, "12.034567891": at most nine decimals, and ten digits before them. Nothing for
// other numbers.
[[nodiscard]] inline std::optional<std::uint64_t> parse_nanoseconds(std::string_view text) {
  constexpr std::size_t most_decimals = 9, most_digits = 10;
  std::uint64_t number = 0;
  std::size_t at = 0;
  auto const take_digits = [&](std::size_t most) {
    std::size_t const begin = at, end = std::min(text.size(), at + most);
    for (; at < end; ++at) {
      auto const digit = static_cast<unsigned char>(text[at] - '0');
      if (digit > 9) break;
      number = 10 * number + digit;
    }
    return at - begin;
  };
  if (take_digits(most_digits) == 0) return std::nullopt;
  std::size_t decimals = 0;
  if (at < text.size() && text[at] == '.') {
    ++at;
    decimals = take_digits(most_decimals);
    if (decimals == 0) return std::nullopt;
  }
  if (at != text.size()) return std::nullopt;
  for (; decimals < most_decimals; ++decimals) number *= 10;
  return number;
}

}  // namespace mpisee_through
