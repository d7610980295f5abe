#pragma once

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace mpisee_through {

// The number that the whole text denotes, in decimals. Nothing if it is malformed or too large for the type.
template <class Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view text) {
  Number number{};
  if constexpr (std::is_floating_point_v<Number>) {  // GCC 10 has from_chars() only for integers
    if (text.find_first_not_of("0123456789.-+eE") != text.npos || text.starts_with('+')) return std::nullopt;
    std::string const own(text);
    char* end = nullptr;
    number = std::strtod(own.c_str(), &end);
    return !own.empty() && *end == '\0' && std::isfinite(number) ? std::optional(number) : std::nullopt;
  } else {
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
  }
}

}  // namespace mpisee_through
