// What the completion of a request needs to know: who issued it, on which communicator.
//
// A handle does not identify a request: both Open MPI and MPICH hand out one handle for many small sends that are complete
// at once. So each handle leads to a queue of entries, oldest first. Where the program waits on the very variable that a
// request was stored in, that entry is the one; else, among requests that MPI itself cannot tell apart, the oldest.
//
// A receive is counted when it completes, since only then is it known how much arrived. Until then its entry holds all that
// was known at issue, and a profile that is written in between counts it from there.
//
// Knows no MPI: handles are 64 bits. Callers serialise, but for may_hold_…(), which any thread may ask at any time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "profile/clock.hpp"
#include "profile/counters.hpp"
#include "profile/ids.hpp"
#include "profile/memory.hpp"

namespace commprof {

// What is known of a request when it is issued.
struct IssuedRequest {
  Ticks issue_time{};          // how long the issuing call took
  Volume known{};              // of a receive or of one start of a persistent request, without what arrives
  CommIndex comm = CommIndex::unknown;
  Op op{};
  RegionIndex region = RegionIndex::main;
  bool receives = false;       // the call is counted at completion, with what arrived
  bool counted = true;         // false: issued while counting was paused
  bool persistent = false;     // stays in the table until it is freed
  bool cancelled = false;      // MPI_Cancel was called on it
  std::uint32_t start = 0;     // of a persistent request: index + 1 of the call that started it; 0: inactive
};

struct PendingRequest : IssuedRequest {
  std::uint64_t handle = 0;
  std::uint64_t variable = 0;  // address of the handle given out at issue; 0 once another was stored there
  PendingRequest* next_of_handle = nullptr;  // chains of entries with one bucket: by handle, oldest first; also the free list
  PendingRequest* previous_of_handle = nullptr;
  PendingRequest* next_of_variable = nullptr;
};

class RequestTable {
 public:
  // Takes a request into the table. False when memory is used up.
  [[gnu::always_inline]] bool insert(std::uint64_t handle, std::uint64_t variable, IssuedRequest const& request) {
    PendingRequest* entry = free_;
    if (entry == nullptr || size_ >= buckets_.mask) [[unlikely]]
      if (entry = new_entry(); entry == nullptr) return false;
    free_ = entry->next_of_handle;
    static_cast<IssuedRequest&>(*entry) = request;
    entry->handle = handle;
    entry->variable = variable;
    link_handle(buckets_, *entry);
    if (variable != 0) {
      PendingRequest*& first = buckets_.of_variable(variable);
      forget_variable(first, variable);
      entry->next_of_variable = first;
      set_first(first, entry);
    }
    ++size_;
    return true;
  }

  // The entry of the request that is stored in this variable and has this handle; nullptr: none.
  [[gnu::always_inline]] PendingRequest* exact(std::uint64_t handle, std::uint64_t variable) const {
    if (size_ == 0) return nullptr;
    PendingRequest* const stored = in_variable(variable);
    return stored != nullptr && stored->handle == handle ? stored : nullptr;
  }
  // The oldest entry of a handle; nullptr: none.
  PendingRequest* oldest(std::uint64_t handle) const;
  // exact(), else oldest(). Valid until it is removed.
  [[gnu::always_inline]] PendingRequest* find(std::uint64_t handle, std::uint64_t variable) const {
    PendingRequest* const stored = exact(handle, variable);
    return stored != nullptr ? stored : oldest(handle);
  }

  // Takes an entry out of the table.
  [[gnu::always_inline]] void erase(PendingRequest& entry) {
    unlink_handle(entry);
    if (entry.variable != 0) unlink_variable(entry);
    entry.next_of_handle = free_;
    free_ = &entry;
    --size_;
  }
  // Takes the entry that find() would return out of the table. False if there is none.
  bool remove(std::uint64_t handle, std::uint64_t variable, PendingRequest& removed);

  // Whether exact() or oldest() may find something. What has been inserted before, by whatever thread, is never missed.
  bool may_hold_variable(std::uint64_t variable) const;
  bool may_hold_handle(std::uint64_t handle) const;

  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for (std::size_t i = 0; size_ > 0 && i <= buckets_.mask; ++i)
      for (PendingRequest const* entry = buckets_.handles[i].first; entry != nullptr; entry = entry->next_of_handle) visit(*entry);
  }
  std::size_t size() const { return size_; }

 private:
  struct Chain {
    PendingRequest* first;
    PendingRequest* last;
  };
  struct Buckets {
    std::uint64_t mask = 0;
    Chain* handles = nullptr;
    PendingRequest** variables = nullptr;  // the first of each chain

    static std::uint64_t hash(std::uint64_t key) { return key * 0x9E3779B97F4A7C15ULL >> 32; }
    Chain& of_handle(std::uint64_t handle) const { return handles[hash(handle) & mask]; }
    PendingRequest*& of_variable(std::uint64_t variable) const { return variables[hash(variable) & mask]; }
  };

  // Stores the first entry of a chain, which other threads may be looking at.
  static void set_first(PendingRequest*& first, PendingRequest* entry) {
    std::atomic_ref(first).store(entry, std::memory_order_relaxed);
  }

  [[gnu::always_inline]] PendingRequest* in_variable(std::uint64_t variable) const {
    PendingRequest* entry = buckets_.of_variable(variable);
    while (entry != nullptr && entry->variable != variable) entry = entry->next_of_variable;
    return entry;
  }
  [[gnu::always_inline]] static void link_handle(Buckets const& buckets, PendingRequest& added) {
    Chain& chain = buckets.of_handle(added.handle);
    PendingRequest* const last = chain.last;
    added.next_of_handle = nullptr;
    added.previous_of_handle = last;
    if (last == nullptr) set_first(chain.first, &added);
    else last->next_of_handle = &added;
    chain.last = &added;
  }
  // What is stored in the variable now tells nothing of the request that was stored there before.
  [[gnu::always_inline]] static void forget_variable(PendingRequest*& first, std::uint64_t variable) {
    PendingRequest* previous = nullptr;
    for (PendingRequest* entry = first; entry != nullptr; previous = entry, entry = entry->next_of_variable) {
      if (entry->variable != variable) continue;
      if (previous == nullptr) set_first(first, entry->next_of_variable);
      else previous->next_of_variable = entry->next_of_variable;
      entry->variable = 0;
      return;
    }
  }
  bool grow();
  PendingRequest* new_entry();
  [[gnu::always_inline]] void unlink_handle(PendingRequest& entry) {
    PendingRequest* const next = entry.next_of_handle;
    PendingRequest* const previous = entry.previous_of_handle;
    Chain& chain = buckets_.of_handle(entry.handle);
    if (previous == nullptr) set_first(chain.first, next);
    else previous->next_of_handle = next;
    (next == nullptr ? chain.last : next->previous_of_handle) = previous;
  }
  [[gnu::always_inline]] void unlink_variable(PendingRequest& entry) {
    PendingRequest*& first = buckets_.of_variable(entry.variable);
    if (first == &entry) [[likely]] {
      set_first(first, entry.next_of_variable);
    } else {
      PendingRequest* before = first;
      while (before->next_of_variable != &entry) before = before->next_of_variable;
      before->next_of_variable = entry.next_of_variable;
    }
    entry.variable = 0;
  }

  Buckets buckets_;
  PendingRequest* free_ = nullptr;
  std::size_t size_ = 0;
  // The same buckets for other threads; none that was ever shown is unmapped.
  std::atomic<Buckets const*> shown_buckets_{nullptr};
  Arena<PendingRequest, 8, 24> entries_;
};

}  // namespace commprof
