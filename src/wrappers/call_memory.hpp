// Memory of a call beyond the frame of its wrapper: the keys and statuses of its requests, the infos of a spawn.
//
// A block belongs to the call, not to the thread: a callback of the program or another fiber may make calls meanwhile.
// The thread keeps track of it, because a call can be left by an exception or a longjmp, without its destructors. A
// later call then settles the one that was left: it counts what that had completed, and frees its block. That happens
// when a call on the same stack finds that the outermost call was left, or when another call has its frame in the same
// place. So a thread loses at most one block for each depth of its stack at which calls are left.
#pragma once

#include <cstddef>
#include <cstdint>

#include "counters/counters.hpp"
#include "mpi/mpi.hpp"

namespace commprof {

// A block, and the call that holds it.
struct CallMemory {
  void const* frame = nullptr;  // the canonical frame address of the call's wrapper; nullptr: the block is free
  CallMemory* next = nullptr;
  std::size_t bytes = 0;
  void (*settle)(CallMemory&) = nullptr;  // called if the call was left
  // Arguments for settle().
  void const* given = nullptr;  // an argument of the call
  MPI_Status const* statuses = nullptr;
  std::size_t count = 0;

  template <class T>
  T* as() {
    return reinterpret_cast<T*>(this + 1);
  }
  template <class T>
  T const* as() const {
    return reinterpret_cast<T const*>(this + 1);
  }
};

namespace call_memory {

// A block for the call with this frame; nullptr when memory is used up.
CallMemory* take_another(void const* frame, std::size_t bytes);

[[gnu::always_inline]] inline CallMemory* take(void const* frame, std::size_t bytes) {
  Shard const* const shard = this_thread.shard;
  CallMemory* const first = shard == nullptr ? nullptr : shard->call_memory;
  if (first == nullptr || first->frame != nullptr || first->bytes < bytes) [[unlikely]]
    return take_another(frame, bytes);
  first->frame = frame;
  return first;
}

// Settles the calls with this frame, which were left.
void settle(void const* frame);

// Copies memory of the program that may not be there any more. False if it is not.
bool copy_if_there(void* to, void const* from, std::size_t bytes);

}  // namespace call_memory

// The memory of a call during its lifetime.
class HeldMemory {
 public:
  using Settle = decltype(CallMemory::settle);

  HeldMemory() = default;
  // Construct it in the wrapper itself. settle: see CallMemory; may be nullptr.
  [[gnu::always_inline]] HeldMemory(std::size_t bytes, Settle settle) { take(__builtin_dwarf_cfa(), bytes, settle); }
  // At most once. frame: of the wrapper.
  [[gnu::always_inline]] void take(void const* frame, std::size_t bytes, Settle settle) {
    memory_ = call_memory::take(frame, bytes);
    if (memory_ == nullptr) [[unlikely]]
      return;
    memory_->settle = settle;
    memory_->count = 0;
  }
  HeldMemory(HeldMemory const&) = delete;
  HeldMemory& operator=(HeldMemory const&) = delete;
  [[gnu::always_inline]] ~HeldMemory() {
    if (memory_ != nullptr) [[likely]]
      memory_->frame = nullptr;
  }

  explicit operator bool() const { return memory_ != nullptr; }
  CallMemory* operator->() const { return memory_; }
  CallMemory& operator*() const { return *memory_; }

 private:
  CallMemory* memory_ = nullptr;
};

}  // namespace commprof
