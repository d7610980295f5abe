#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace mpisee_through {

enum class Quoting { correct, not_closed, text_after_quote, quote_in_text };

// Takes a line of RFC 4180 apart at its commas; a line is a record, thus without line breaks in quotes. Fields in
// quotes lose them, in place: fields point into the line.
[[nodiscard]] Quoting split_fields(std::span<char> line, std::vector<std::string_view>& fields);

}  // namespace mpisee_through
