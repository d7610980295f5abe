// std::from_chars, which GCC 10's library has only for integers.
#pragma once

#include <charconv>

namespace mpisee_through {

using std::from_chars;

#ifndef __cpp_lib_to_chars
std::from_chars_result from_chars(char const* begin, char const* end, double& number,
                                  std::chars_format format = std::chars_format::general);
#endif

}  // namespace mpisee_through
