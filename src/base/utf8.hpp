// Checks which parts of a text from outside may be printed.
#pragma once

#include <cstddef>
#include <string_view>

namespace commprof {

// The length of the valid UTF-8 sequence at the start of a text; 0 if the text does not begin with one.
std::size_t utf8_length(std::string_view text);

// The longest beginning of a text with at most this many bytes that ends in no sequence's middle.
std::string_view whole_utf8(std::string_view text, std::size_t most_bytes);

// Whether a valid sequence is a control character of ASCII or Latin-1, which terminals act on.
bool is_control(std::string_view sequence);

}  // namespace commprof
