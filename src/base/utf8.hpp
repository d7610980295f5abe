// What may be shown of a text that comes from outside.
#pragma once

#include <cstddef>
#include <string_view>

namespace commprof {

// The bytes of the valid UTF-8 sequence at the start of a text; 0 if it does not start with one.
std::size_t utf8_length(std::string_view text);

// Whether a valid sequence is a control character of ASCII or of Latin-1, which terminals obey.
bool is_control(std::string_view sequence);

}  // namespace commprof
