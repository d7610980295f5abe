// The slots of a hash table: open addressing with linear probing, in pages of the profiler's own.
//
// A slot converts to false while it is empty, as zeroed memory is. One slot is empty at any time, and ends a search.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/memory.hpp"

namespace commprof {

template <class Slot>
class OpenSlots {
 public:
  // How many may be in use; 0 before make_room().
  std::size_t room() const { return mask_; }

  // The slot for which is_it() holds, or else the empty one that it would be in. Requires room.
  template <class IsIt>
  Slot& find(std::uint64_t hash, IsIt&& is_it) const {
    std::uint64_t i = hash & mask_;
    while (static_cast<bool>(slots_[i]) && !is_it(slots_[i])) i = (i + 1) & mask_;
    return slots_[i];
  }

  // Makes room for one more than are in use. Doubles the slots once half are in use; hash_of(slot): what find() was
  // given for it. Where there is no memory to grow, all slots but one are used. False: there is no room.
  template <class HashOf>
  bool make_room(std::size_t in_use, HashOf&& hash_of) {
    return 2 * in_use < mask_ || grow(hash_of) || in_use < mask_;
  }

  void release() {
    unmap_pages(slots_, bytes());
    slots_ = nullptr;
    mask_ = 0;
  }

 private:
  static constexpr std::size_t fewest = 256;

  std::size_t bytes() const { return slots_ == nullptr ? 0 : (mask_ + 1) * sizeof(Slot); }

  // Out of the way of the search, of which it would take cache lines.
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
