// What the completion of a request needs to know: who issued it, on which communicator.
//
// A handle does not identify a request: both Open MPI and MPICH hand out one handle for many small sends that are complete
// at once. So each handle leads to a queue of entries, oldest first. Where the program waits on the very variable that a
// request was stored in, that entry is the one; else, among requests that MPI itself cannot tell apart, the oldest. Most
// programs only ever do the former, so the queues are not kept before the latter happens for the first time.
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
  std::uint64_t serial = 0;    // ascending by age
};

class RequestTable {
 public:
  // Takes a request into the table. False when memory is used up.
  [[gnu::always_inline]] bool insert(std::uint64_t handle, std::uint64_t variable, IssuedRequest const& request) {
    PendingRequest* entry = free_;
    if (entry == nullptr || size_ >= buckets_.mask) [[unlikely]]
      if (entry = new_entry(); entry == nullptr) return false;
    if (newest_ != nullptr) index_newest();
    free_ = entry->next_of_handle;
    static_cast<IssuedRequest&>(*entry) = request;
    show(entry->handle, handle);
    show(entry->variable, variable);
    set_newest(entry);
    ++size_;
    return true;
  }

  // The entry of the request that is stored in this variable and has this handle; nullptr: none.
  [[gnu::always_inline]] PendingRequest* exact(std::uint64_t handle, std::uint64_t variable) const {
    PendingRequest* stored = newest_;
    if (stored == nullptr || stored->variable != variable) {
      if (size_ == 0) return nullptr;
      stored = in_variable(variable);
    }
    return stored != nullptr && stored->handle == handle && variable != 0 ? stored : nullptr;
  }
  // The oldest entry of a handle; nullptr: none.
  PendingRequest* oldest(std::uint64_t handle);
  // exact(), else oldest(). Valid until it is removed.
  [[gnu::always_inline]] PendingRequest* find(std::uint64_t handle, std::uint64_t variable) {
    PendingRequest* const stored = exact(handle, variable);
    return stored != nullptr ? stored : oldest(handle);
  }

  // Takes an entry out of the table.
  [[gnu::always_inline]] void erase(PendingRequest& entry) {
    if (&entry == newest_) {
      set_newest(nullptr);
      if (size_ > 1) [[unlikely]] displace(entry.variable);
    } else if (PendingRequest*& first = buckets_.of_variable(entry.variable); first == &entry && !queues_handles_) [[likely]] {
      show(first, entry.next_of_variable);
    } else {
      unlink(entry);
    }
    entry.next_of_handle = free_;
    free_ = &entry;
    --size_;
  }
  // Takes the entry that find() would return out of the table. False if there is none.
  bool remove(std::uint64_t handle, std::uint64_t variable, PendingRequest& removed);

  // Whether exact() or oldest() may find something. What has been inserted before, by whatever thread, is never missed.
  bool may_hold_variable(std::uint64_t variable) const;
  bool may_hold_handle(std::uint64_t handle) const;

  // In no particular order, but the entries of one handle by age once one was looked for by its handle alone.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for (std::size_t i = 0; size_ > 0 && i <= buckets_.mask; ++i) {
      if (queues_handles_)
        for (PendingRequest* entry = buckets_.handles[i].first; entry != nullptr; entry = entry->next_of_handle) visit(*entry);
      else
        for (PendingRequest* entry = buckets_.variables[i]; entry != nullptr; entry = entry->next_of_variable) visit(*entry);
    }
    if (newest_ != nullptr) visit(*newest_);
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

  // Stores what other threads may be looking at.
  template <class Value>
  static void show(Value& place, Value value) {
    std::atomic_ref(place).store(value, std::memory_order_relaxed);
  }
  // After what came before it is in its bucket.
  void set_newest(PendingRequest* entry) { std::atomic_ref(newest_).store(entry, std::memory_order_release); }

  PendingRequest* in_variable(std::uint64_t variable) const {
    PendingRequest* entry = buckets_.of_variable(variable);
    while (entry != nullptr && entry->variable != variable) entry = entry->next_of_variable;
    return entry;
  }
  // Puts the newest entry into its bucket, which is mostly empty.
  [[gnu::always_inline]] void index_newest() {
    PendingRequest*& first = buckets_.of_variable(newest_->variable);
    if (first != nullptr || queues_handles_ || newest_->variable == 0) [[unlikely]] return index(*newest_);
    newest_->serial = ++serial_;
    newest_->next_of_variable = nullptr;
    show(first, newest_);
  }
  bool grow();
  PendingRequest* new_entry();
  void index(PendingRequest& entry);
  void displace(std::uint64_t variable);
  void unlink(PendingRequest& entry);
  void queue_all();
  static void queue(Buckets const& buckets, PendingRequest& entry);
  static void push(PendingRequest*& first, PendingRequest& entry);

  Buckets buckets_;
  // In no bucket yet: most programs complete a request before they issue the next one.
  PendingRequest* newest_ = nullptr;
  PendingRequest* free_ = nullptr;
  std::size_t size_ = 0;
  std::uint64_t serial_ = 0;
  bool queues_handles_ = false;
  std::atomic<bool> shows_handles_{false};  // the same for other threads
  // The same buckets for other threads; none that was ever shown is unmapped.
  std::atomic<Buckets const*> shown_buckets_{nullptr};
  Arena<PendingRequest, 8, 24> entries_;
};

}  // namespace commprof
