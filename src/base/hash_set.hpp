// A set of hashes. Allocates pages of its own: up to 32 bytes for each hash.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/open_slots.hpp"

namespace commprof {

class HashSet {
 public:
  HashSet() = default;
  HashSet(HashSet const&) = delete;
  HashSet& operator=(HashSet const&) = delete;
  ~HashSet() { slots_.release(); }

  // Returns whether the hash is new. Also true if there is no memory to store it.
  bool insert(std::uint64_t hash) {
    if (hash == none) hash = ~none;
    std::uint64_t* const slot = slots_.find_or_room(
        hash, size_, [=](std::uint64_t known) { return known == hash; }, [](std::uint64_t known) { return known; });
    if (slot == nullptr) return true;
    if (*slot == hash) return false;
    *slot = hash;
    ++size_;
    return true;
  }

 private:
  static constexpr std::uint64_t none = 0;

  OpenSlots<std::uint64_t, 512> slots_;
  std::size_t size_ = 0;
};

}  // namespace commprof
