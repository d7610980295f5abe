// Hash functions.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>

namespace commprof {

// FNV-1a of 32 or 64 bits (http://www.isthe.com/chongo/tech/comp/fnv). Hashes an element at a time, even if it is wider
// than a byte.
template <std::unsigned_integral Hash, class Sequence>
constexpr Hash fnv1a(Sequence const& sequence) {
  static_assert(sizeof(Hash) == 4 || sizeof(Hash) == 8);
  constexpr auto basis = static_cast<Hash>(sizeof(Hash) == 8 ? 14695981039346656037U : 2166136261U);
  constexpr auto prime = static_cast<Hash>(sizeof(Hash) == 8 ? 1099511628211U : 16777619U);
  Hash hash = basis;
  for (auto const element : sequence)
    hash = (hash ^ static_cast<std::make_unsigned_t<decltype(element)>>(element)) * prime;
  return hash;
}

// Spreads a number over 64 bits (the finalizer of MurmurHash3). It is a bijection.
constexpr std::uint64_t scattered(std::uint64_t number) {
  number += 0x9E3779B97F4A7C15ULL;
  number = (number ^ number >> 33) * 0xFF51AFD7ED558CCDULL;
  number = (number ^ number >> 33) * 0xC4CEB9FE1A85EC53ULL;
  return number ^ number >> 33;
}

constexpr std::uint64_t hash_of(std::string_view text) { return fnv1a<std::uint64_t>(text); }

}  // namespace commprof
