// What depends on the compiler: the mark of exported symbols, and what older libraries of C++ lack.
#pragma once

#include <bit>
#ifndef __cpp_lib_bit_cast
#include <cstring>
#include <type_traits>
#endif

// Marks the symbols that the library exports; all others are hidden.
#define COMMPROF_EXPORT __attribute__((visibility("default")))

namespace commprof {

// GCC 10's library has no std::bit_cast.
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
