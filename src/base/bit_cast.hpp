// std::bit_cast, which GCC 10's library lacks.
#pragma once

#include <cstring>
#include <type_traits>

namespace commprof {

template <class To, class From>
To bit_cast(From const& from) {
  static_assert(sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> && std::is_trivially_copyable_v<From>);
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

}  // namespace commprof
