// std::bit_cast, which GCC 10's library lacks.
#pragma once

#include <bit>
#ifndef __cpp_lib_bit_cast
#include <cstring>
#include <type_traits>
#endif

namespace commprof {

#ifdef __cpp_lib_bit_cast
using std::bit_cast;
#else
template <class To, class From>
To bit_cast(From const& from) {
  static_assert(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>);
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}
#endif

}  // namespace commprof
