#include "files/from_chars.hpp"

#ifndef __cpp_lib_to_chars

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace mpisee_through {

// Uses strtod(). strtod() also accepts leading blanks, a plus, hexadecimal digits and words, so the text passed to it
// starts with a digit and has only characters of decimal numbers. Infinities are refused; no caller needs them. The
// decimal point is a dot, because no tool sets a locale.
std::from_chars_result from_chars(char const* begin, char const* end, double& number, std::chars_format format) {
  std::string_view const text(begin, static_cast<std::size_t>(end - begin));
  std::string_view const allowed = format == std::chars_format::fixed ? "0123456789.-" : "0123456789.-+eE";
  std::string const own(text.substr(0, text.find_first_not_of(allowed)));
  if (own.find_first_of("0123456789.") != (own.starts_with('-') ? 1 : 0)) return {begin, std::errc::invalid_argument};
  char* stopped = nullptr;
  int const errno_before = std::exchange(errno, 0);
  double const parsed = std::strtod(own.c_str(), &stopped);
  bool const is_out_of_range = std::exchange(errno, errno_before) == ERANGE;
  std::ptrdiff_t const length = stopped - own.c_str();
  if (length == 0) return {begin, std::errc::invalid_argument};
  if (is_out_of_range) return {begin + length, std::errc::result_out_of_range};
  number = parsed;
  return {begin + length, std::errc{}};
}

}  // namespace mpisee_through

#endif
