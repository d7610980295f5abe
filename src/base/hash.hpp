// One number for a text.
#pragma once

#include <cstdint>
#include <string_view>

namespace commprof {

// FNV-1a: http://www.isthe.com/chongo/tech/comp/fnv
constexpr std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (char const c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return hash;
}

}  // namespace commprof
