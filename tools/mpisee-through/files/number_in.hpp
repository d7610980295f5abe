#pragma once

#include <optional>
#include <string_view>
#include <system_error>

#include "files/from_chars.hpp"

namespace mpisee_through {

// The number that the whole text denotes. Nothing if it is malformed or too large for the type.
template <class Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view text) {
  Number number{};
  auto const [end, error] = from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace mpisee_through
