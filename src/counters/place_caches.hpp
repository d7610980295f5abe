// A thread's caches by the addresses of its call sites.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

#include "counters/call_cache.hpp"

namespace commprof {

// Caches the scopes of a thread's latest calls. Zeroed memory is an empty cache.
class ScopeCache {
 public:
  // The detail of the scope's keys, without operation and size; nullptr if it is not cached.
  [[gnu::always_inline]] std::uint32_t const* find(std::uint64_t place) const {
    std::size_t const first = slot(place);
    if (known_[first].inverted_place == ~place) [[likely]]
      return &known_[first].base;
    Known const& other = known_[first ^ 1];
    return other.inverted_place == ~place ? &other.base : nullptr;
  }
  // Moves the previous entry to the neighbouring slot, so that two places with one hash do not evict each other.
  void keep(std::uint64_t place, std::uint32_t base) {
    std::size_t const first = slot(place);
    known_[first ^ 1] = known_[first];
    known_[first] = {~place, base};
  }

 private:
  struct Known {
    std::uint64_t inverted_place = 0;  // 0, an empty entry, stands for a place of all ones, which does not exist
    std::uint32_t base = 0;
  };
  static constexpr unsigned bits = 8;
  static std::size_t slot(std::uint64_t place) { return place * 0x9E3779B97F4A7C15ULL >> (64 - bits); }

  Known known_[std::size_t{1} << bits];
};

// Emptied when a library may be unloaded: Shards::forget_places().
struct PlaceCaches {
  CallCache calls;
  ScopeCache scopes;

  void clear() { new (this) PlaceCaches; }  // in place: too large for the stack
};

}  // namespace commprof
