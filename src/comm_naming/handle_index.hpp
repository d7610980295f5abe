// Finds the communicator that had a handle last. The index is made when a call fails on one of many communicators;
// other calls need none. An answer may be outdated: the communicator may be freed. Knows no MPI.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/hash.hpp"
#include "base/ids.hpp"
#include "base/open_slots.hpp"

namespace commprof {

class HandleIndex {
 public:
  // False when memory is used up. handle: not 0.
  bool keep(std::uint64_t handle, CommIndex comm) {
    Slot* const slot = slots_.find_or_room(
        scattered(handle), size_, [=](Slot const& known) { return known.handle == handle; },
        [](Slot const& known) { return scattered(known.handle); });
    if (slot == nullptr) return false;
    if (slot->handle == 0) ++size_;
    *slot = {handle, comm};
    return true;
  }

  CommIndex find(std::uint64_t handle) const {
    if (slots_.is_empty()) return CommIndex::unknown;
    return slots_.find(scattered(handle), [=](Slot const& known) { return known.handle == handle; }).comm;
  }

  void release() { slots_.release(); }

 private:
  struct Slot {
    std::uint64_t handle = 0;
    CommIndex comm = CommIndex::unknown;
    explicit operator bool() const { return handle != 0; }
  };

  OpenSlots<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace commprof
