// Counts the communicators with certain members that this process has created from one parent by calls that only the
// members make; the count is the last one's ordinal. Communicators whose creation was not seen count as made from the
// world.
//
// A process may be a member of any number of groups. So the table can drop the keys below a level, which is the number
// of zero bits at the start of a key. Keys are hashes that all members know, so of two processes, the one that has
// dropped more keeps a part of what the other one keeps. Knows no MPI. The registry's mutex guards it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"
#include "base/open_slots.hpp"

namespace commprof {

class GroupCounts {
 public:
  static constexpr unsigned highest_level = 64;
  static constexpr unsigned level_of(std::uint64_t key) { return static_cast<unsigned>(std::countl_zero(key)); }

  // Increments the count of a key and returns it; 0 if memory is used up.
  std::uint32_t next(std::uint64_t key, CommIndex parent) {
    if (key == 0) key = 1;
    Slot* const slot = place_for(key);
    if (slot == nullptr) return 0;
    if (slot->key == 0) {
      *slot = {key, 0, parent};
      ++size_;
    }
    if (slot->count < UINT32_MAX) ++slot->count;
    return slot->count;
  }

  // Drops all keys below the level. False if memory is used up.
  bool give_up_below(unsigned level) {
    GroupCounts kept;
    bool fits = true;
    slots_.for_each([&](Slot const& slot) {
      if (level_of(slot.key) < level) return;
      Slot* const room = kept.place_for(slot.key);
      fits &= room != nullptr;
      if (room == nullptr) return;
      *room = slot;
      ++kept.size_;
    });
    (fits ? slots_ : kept.slots_).release();
    if (fits) *this = kept;
    return fits;
  }

  // Calls visit(parent, count) for each key.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    slots_.for_each([&](Slot const& slot) { visit(slot.parent, slot.count); });
  }

  std::size_t size() const { return size_; }
  void release() { slots_.release(); }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t count = 0;
    CommIndex parent = CommIndex::unknown;
    explicit operator bool() const { return key != 0; }
  };

  Slot* place_for(std::uint64_t key) {
    return slots_.find_or_room(
        key, size_, [=](Slot const& known) { return known.key == key; }, [](Slot const& known) { return known.key; });
  }

  OpenSlots<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace commprof
