// Which hashes there have been. Takes pages of its own: up to 32 bytes for each hash.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/memory.hpp"

namespace commprof {

class HashSet {
 public:
  HashSet() = default;
  HashSet(HashSet const&) = delete;
  HashSet& operator=(HashSet const&) = delete;
  ~HashSet() { unmap_pages(slots_, slots_in_use() * sizeof(std::uint64_t)); }

  // Whether the hash is new, which it also is where there is no memory to remember it.
  bool insert(std::uint64_t hash) {
    if (hash == none) hash = ~none;
    if (2 * size_ >= slots_in_use() && !grow() && size_ >= mask_) return slots_ == nullptr || *place_of(hash) != hash;
    std::uint64_t* const place = place_of(hash);
    if (*place == hash) return false;
    *place = hash;
    ++size_;
    return true;
  }

 private:
  static constexpr std::uint64_t none = 0;

  std::size_t slots_in_use() const { return slots_ == nullptr ? 0 : mask_ + 1; }
  // Where the hash is, or would be: there is an empty place at any time.
  std::uint64_t* place_of(std::uint64_t hash) const {
    std::size_t i = hash & mask_;
    while (slots_[i] != hash && slots_[i] != none) i = (i + 1) & mask_;
    return &slots_[i];
  }
  bool grow() {
    std::size_t const old_slots = slots_in_use(), new_slots = old_slots == 0 ? 512 : 2 * old_slots;
    auto* const larger = static_cast<std::uint64_t*>(map_pages(new_slots * sizeof(std::uint64_t)));
    if (larger == nullptr) return false;
    std::uint64_t* const old = slots_;
    slots_ = larger;
    mask_ = new_slots - 1;
    for (std::size_t i = 0; i < old_slots; ++i)
      if (old[i] != none) *place_of(old[i]) = old[i];
    unmap_pages(old, old_slots * sizeof(std::uint64_t));
    return true;
  }

  std::uint64_t* slots_ = nullptr;
  std::size_t mask_ = 0;
  std::size_t size_ = 0;
};

}  // namespace commprof
