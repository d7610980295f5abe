// The counters of a thread: its records, and its peers.
//
// Each thread counts in a shard of its own, so nothing shared is written on the path of a call; shards are merged when a
// profile is written. Within a shard an open-addressed index leads from the packed key to the record.
#pragma once

#include <cstddef>
#include <cstdint>

#include "profile/call_cache.hpp"
#include "profile/ids.hpp"
#include "profile/memory.hpp"
#include "profile/peers.hpp"
#include "profile/records.hpp"

namespace commprof {

struct InternalMessages;
struct ThreadRequests;

// The counters of one thread at a time. A thread that ends leaves its shard, counts and all, to the next one that starts.
class Shard {
 public:
  [[gnu::always_inline]] void add(RecordKey key, Volume volume, Ticks elapsed) {
    if (Record* const record = find_or_insert(key)) record->add(volume, elapsed);
  }
  [[gnu::always_inline]] void add(RecordKey key, Volume volume, Interval interval) {
    if (Record* const record = find_or_insert(key)) record->add(volume, interval);
  }

  // The record of a key, made at its first use; nullptr when memory is used up, which counts as a dropped record.
  [[gnu::always_inline]] Record* find_or_insert(RecordKey key) {
    Record* const recent = recent_[static_cast<std::size_t>(key.op())];
    return recent != nullptr && recent->key == key ? recent : search_or_insert(key);
  }

  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for (std::size_t i = 0, n = records_.size(); i < n; ++i) visit(records_[i]);
  }

  Shard* next() const { return next_; }

  // Room for the values of the call that the thread is in.
  Scratch handles;
  Scratch statuses;

  CallCache calls;
  PeerTable peers;
  ThreadRequests* requests = nullptr;
  InternalMessages* internal_messages = nullptr;
  std::uint32_t number = 0;  // among all shards

 private:
  friend class Shards;
  struct Slot {
    RecordKey key;
    Record* record;
  };

  std::uint64_t home(RecordKey key) const { return key.packed * 0x9E3779B97F4A7C15ULL >> 32 & mask_; }
  Record* search_or_insert(RecordKey key);
  Record* insert(RecordKey key);
  bool grow_index();

  Record* recent_[std::size_t{1} << RecordKey::op_bits]{};  // of each operation

  Slot* slots_ = nullptr;
  std::uint64_t mask_ = 0;
  bool in_use_ = false;
  Shard* next_ = nullptr;
  Arena<Record, 8, 24> records_;
};

// What wrappers look at of their thread, in one place.
struct ThreadState {
  void const* outermost_call = nullptr;  // the frame of the wrapper that the thread is in
  Shard* shard = nullptr;
  std::size_t internal_messages = 0;  // sent by the MPI within the call, and not counted yet
};
extern constinit thread_local ThreadState this_thread;

// All shards of the process. They outlive their threads.
class Shards {
 public:
  // The calling thread's shard; nullptr when memory is used up.
  static Shard* mine() {
    Shard* const shard = this_thread.shard;
    return shard != nullptr ? shard : claim();
  }
  static Shard* first();
  // Threads that have counted something.
  static std::uint64_t threads();

 private:
  static Shard* claim();
  static void leave(void* shard);
};

}  // namespace commprof
