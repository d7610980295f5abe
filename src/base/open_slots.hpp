// The slots of a hash table: open addressing with linear probing, in pages of the profiler's own.
//
// A slot converts to false while it is empty, as zeroed memory does. At least one slot is always empty, which ends a
// search.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/memory.hpp"

namespace commprof {

// fewest: the initial number of slots, a power of two.
template <class Slot, std::size_t fewest = 256>
class OpenSlots {
 public:
  bool is_empty() const { return slots_ == nullptr; }

  // The slot for which is_it() holds, or else the empty slot where it would be. Must not be called while is_empty().
  template <class IsIt>
  Slot& find(std::uint64_t hash, IsIt&& is_it) const {
    std::uint64_t i = hash & mask_;
    while (static_cast<bool>(slots_[i]) && !is_it(slots_[i])) i = (i + 1) & mask_;
    return slots_[i];
  }

  // The slot for which is_it() holds, or else an empty slot for it; nullptr if there is no room. Doubles the slots when
  // half of them are in use; without memory for that, uses all slots but one. hash_of(slot): the hash of a slot.
  template <class IsIt, class HashOf>
  Slot* find_or_room(std::uint64_t hash, std::size_t in_use, IsIt&& is_it, HashOf&& hash_of) {
    if (!is_empty()) [[likely]] {
      Slot& slot = find(hash, is_it);
      if (static_cast<bool>(slot) || 2 * in_use < mask_) [[likely]]
        return &slot;
    }
    return grow(hash_of) || in_use < mask_ ? &find(hash, is_it) : nullptr;
  }

  // Visits all slots in use.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for (std::uint64_t i = 0; slots_ != nullptr && i <= mask_; ++i)
      if (static_cast<bool>(slots_[i])) visit(slots_[i]);
  }

  void release() {
    unmap_pages(slots_, bytes());
    slots_ = nullptr;
    mask_ = 0;
  }

 private:
  std::size_t bytes() const { return slots_ == nullptr ? 0 : (mask_ + 1) * sizeof(Slot); }

  // Out of line, so that it takes no cache lines of the search.
  template <class HashOf>
  [[gnu::noinline, gnu::cold]] bool grow(HashOf&& hash_of) {
    std::size_t const slots = mask_ == 0 ? fewest : 2 * (mask_ + 1);
    auto* const pages = static_cast<Slot*>(map_pages(slots * sizeof(Slot)));
    if (pages == nullptr) return false;
    fetch_pages(pages, slots * sizeof(Slot));
    OpenSlots larger;
    larger.slots_ = pages;
    larger.mask_ = slots - 1;
    for (std::size_t i = 0; slots_ != nullptr && i <= mask_; ++i)
      if (static_cast<bool>(slots_[i])) larger.find(hash_of(slots_[i]), [](Slot const&) { return false; }) = slots_[i];
    release();
    *this = larger;
    return true;
  }

  Slot* slots_ = nullptr;
  std::size_t mask_ = 0;
};

}  // namespace commprof
