// The counters of a thread: its records and its peers.
//
// Each thread counts in a shard of its own, so that a call writes to no memory that threads share. Shards are merged
// when a profile is written. In a shard, an open-addressed index leads from the packed key to the record.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>

#include "base/clock.hpp"
#include "base/dropped.hpp"
#include "base/ids.hpp"
#include "base/index.hpp"
#include "base/memory.hpp"
#include "counters/records.hpp"

namespace commprof {

// A thread's caches by the addresses of its call sites.

struct Communicator;

// Has no handle, so an entry that was never used matches no call.
extern Communicator const no_communicator;
// Stand for the lack of a peer. An entry with unwanted_peer counts no messages.
extern PeerRecord no_peer, unwanted_peer;

// Caches a thread's latest calls, one entry for each operation on each communicator at each site. An entry holds the
// communicator, so that MPI is not asked for its attribute, and the record that the call counted in, so that the index
// is not searched.
//
// MPI reuses the handle of a freed communicator, so an entry is valid only while the communicator's record still holds
// the handle. A folded record holds that of its latest communicator only; those of the others are in a cache of their
// own (shared_), which becomes void in all threads when any of these communicators is freed.
struct alignas(32) CachedCall {
  static constexpr std::uint64_t no_place = UINT64_MAX;

  Communicator const* comm = &no_communicator;
  std::uint64_t place = no_place;  // place of the call: see State::place_of(). no_place: there is no record yet
  Record* record = nullptr;
  PeerRecord* peer = &no_peer;  // record that counted the latest message
};

class CallCache {
 public:
  // The entry of a call, or of another one with the same hash.
  CachedCall& at(std::uint64_t handle, Op op, void const* site) {
    auto const place = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(site));
    return calls_[(hash(handle) + static_cast<std::uint32_t>(op) * 0x85EBCA6BU + place * 0xC2B2AE35U) >> (32 - bits)];
  }

  // The folded record of a handle; nullptr if it is not cached.
  Communicator const* shared(std::uint64_t handle) const {
    Shared const& known = shared_[hash(handle) >> (32 - shared_bits)];
    return known.handle == handle && known.age == current_age() ? known.comm : nullptr;
  }
  // age: current_age() from before MPI was asked for the record.
  void keep_shared(std::uint64_t handle, Communicator const* comm, std::uint32_t age) {
    shared_[hash(handle) >> (32 - shared_bits)] = {handle, comm, age};
  }
  static std::uint32_t current_age() { return current_age_.load(std::memory_order_relaxed); }
  static void forget_shared() { current_age_.fetch_add(1, std::memory_order_relaxed); }

 private:
  struct Shared {
    std::uint64_t handle = 0;
    Communicator const* comm = nullptr;
    std::uint32_t age = 0;
  };
  static constexpr unsigned bits = 10;
  static constexpr unsigned shared_bits = 6;
  static std::uint32_t hash(std::uint64_t handle) { return static_cast<std::uint32_t>(handle) * 0x9E3779B1U; }

  static inline std::atomic<std::uint32_t> current_age_{1};  // age 0: an empty entry
  CachedCall calls_[std::size_t{1} << bits];
  Shared shared_[std::size_t{1} << shared_bits];
};

// Caches the scopes of a thread's latest calls. Zeroed memory is an empty cache.
class ScopeCache {
 public:
  // The detail of the scope's keys, without operation and size; nullptr if it is not cached.
  [[gnu::always_inline]] std::uint32_t const* find(std::uint64_t place) const {
    std::size_t const first = slot(place);
    if (known_[first].inverted_place == ~place) [[likely]]
      return &known_[first].base;
    Known const& other = known_[first ^ 1];
    return other.inverted_place == ~place ? &other.base : nullptr;
  }
  // Moves the previous entry to the neighbouring slot, so that two places with one hash do not evict each other.
  void keep(std::uint64_t place, std::uint32_t base) {
    std::size_t const first = slot(place);
    known_[first ^ 1] = known_[first];
    known_[first] = {~place, base};
  }

 private:
  struct Known {
    std::uint64_t inverted_place = 0;  // 0, an empty entry, stands for a place of all ones, which does not exist
    std::uint32_t base = 0;
  };
  static constexpr unsigned bits = 8;
  static std::size_t slot(std::uint64_t place) { return place * 0x9E3779B97F4A7C15ULL >> (64 - bits); }

  Known known_[std::size_t{1} << bits];
};

struct PlaceCaches {
  CallCache calls;
  ScopeCache scopes;
};

// The call that a thread is in, for readers of the spool of a running or killed process.
//
// A wrapper stores it when its call begins, and sets op to 0 when the call ends. The stores are not atomic as a whole:
// a reader may see parts of two calls, so it reads twice. Only the ranks that the operation has as parameters
// (calls::Row) are valid; the others are left from earlier calls. Ranks are as the program gave them, MPI_ANY_SOURCE
// included.
struct alignas(64) CurrentCall {
  // Flag in comm: the low 32 bits are an integer of Fortran.
  static constexpr std::uint64_t of_fortran = std::uint64_t{1} << 63;

  Ticks since{};           // begin of the call; outside MPI, end of the latest one; 0: there was no call
  std::uint64_t comm = 0;  // the handle
  std::uint64_t site = 0;  // the address that the call returns to
  std::uint32_t op = 0;    // one more than the operation's number; 0: outside MPI
  std::int32_t dest = 0;   // of a message, or the target of a one-sided call
  std::int32_t source = 0;
  std::int32_t root = 0;
  Ticks outside{};  // time outside MPI until the begin of the call, since the epoch of the clock
  Ticks polled{};   // end of the latest call that has polled and found nothing
  // A call, or the time between two calls, in which the thread may have waited for a processor is longer.
  Ticks long_enough{UINT64_MAX};

  [[gnu::always_inline]] CurrentCall& begin(Op which, Ticks now, void const* return_address) {
    std::uint64_t const between = now.count - get(since);
    set(outside.count, get(outside) + between);
    if (between > get(long_enough)) [[unlikely]]
      read_queue({between});
    set(since.count, now.count);
    set(site, reinterpret_cast<std::uintptr_t>(return_address));
    return set(op, static_cast<std::uint32_t>(which) + 1);
  }
  [[gnu::always_inline]] CurrentCall& on(std::uint64_t handle) { return set(comm, handle); }
  [[gnu::always_inline]] CurrentCall& to(std::int32_t rank) { return set(dest, rank); }
  [[gnu::always_inline]] CurrentCall& from(std::int32_t rank) { return set(source, rank); }
  [[gnu::always_inline]] CurrentCall& rooted(std::int32_t rank) { return set(root, rank); }
  [[gnu::always_inline]] void end(Ticks now, Ticks took) {
    set(op, 0U);
    set(since.count, now.count);
    if (took.count > get(long_enough)) [[unlikely]]
      read_queue({});
  }
  // What `outside` is if a call begins now.
  [[gnu::always_inline]] Ticks outside_until(Ticks now) const { return {get(outside) + (now.count - get(since))}; }
  [[gnu::always_inline]] Ticks outside_before() const { return {get(outside)}; }

  // A loop that polls until something comes waits, between its calls as well as in them. Two polls are one loop if
  // there is no other call between them, and no longer time than it takes to look at the result; or if the process has
  // slept between them, which takes some time.
  static constexpr std::uint64_t most_between_polls = std::uint64_t{1} << 12;  // ticks
  static constexpr std::uint64_t shortest_nap = std::uint64_t{1} << 16, longest_nap = std::uint64_t{1} << 22;
  // Since when a call that begins now waits if it polls: since the end of the call before in its loop, if there is one.
  [[gnu::always_inline]] Ticks begin_of_poll(Ticks now) const {
    std::uint64_t const before = get(since), between = now.count - before;
    if (before != get(polled)) return now;
    return between <= most_between_polls || (between - shortest_nap <= longest_nap && has_slept({before}, now))
               ? Ticks{before}
               : now;
  }
  [[gnu::always_inline]] void end_poll(Ticks now, bool found) { set(polled.count, found ? 0 : now.count); }
  void look_for_queues() { set(long_enough.count, std::uint64_t{1} << 21); }
  void stop_polling() { set(polled.count, std::uint64_t{0}); }
  // Before a region begins or ends: the time until now is that of the region that is still open.
  void leave_region(Ticks now) {
    stop_polling();
    std::uint64_t const between = now.count - get(since);
    if (std::atomic_ref(op).load(std::memory_order_relaxed) == 0 && between > get(long_enough)) read_queue({between});
  }

 private:
  // Asks the system how long the thread has waited for a processor since it was asked before: outside MPI, in the time
  // since the latest call. 0: in that call.
  [[gnu::cold, gnu::noinline]] void read_queue(Ticks outside_for);
  // Whether the process has hardly computed since the thread's latest poll.
  [[gnu::cold, gnu::noinline]] static bool has_slept(Ticks before, Ticks now);
  // Threads without a CurrentCall of their own share one.
  [[gnu::always_inline]] static std::uint64_t get(Ticks const& time) {
    return std::atomic_ref(const_cast<Ticks&>(time).count).load(std::memory_order_relaxed);
  }
  template <class T>
  [[gnu::always_inline]] CurrentCall& set(T& member, T value) {
    std::atomic_ref(member).store(value, std::memory_order_relaxed);
    return *this;
  }
};
static_assert(sizeof(CurrentCall) == 64);

// For threads without a CurrentCall in the spool; it is never read.
inline constinit CurrentCall call_not_shown;

// An error that a program's error handler got during a call: see wrappers/special.cpp.
struct HandledError {
  int code = 0;  // 0: no error
  int left = 0;  // the code as the handler has left it
  Ticks at{};
};

// What a thread has waited for a processor until that was asked for last, and how often it was.
struct QueueTime {
  std::uint64_t ns = 0;
  std::uint64_t reads = 0;
};

// What processors had done for the process when a thread began a poll.
struct PollingTime {
  Ticks at{};
  std::uint64_t elapsed_ns = 0, cpu_ns = 0;
  unsigned skipped = 0;  // polls for which it is not to be asked: the process computes between them
};

struct CallMemory;
struct InternalMessages;
struct ThreadRequests;

// Matches no key.
extern constinit Record no_record;

// A call under way that frees a communicator: MPI deletes its attribute within the call, which tells its record.
struct AwaitedRelease {
  std::uint64_t handle = 0;
  CommIndex freed = CommIndex::unknown;
};

// The counters of one thread at a time. A thread that ends leaves its shard, counts and all, to the next one that
// starts.
class Shard {
 public:
  Shard() { std::fill(std::begin(recent_), std::end(recent_), &no_record); }

  // took: Ticks, or an Interval if the end of the call is known.
  template <class Duration = Ticks>
  [[gnu::always_inline]] void add(RecordKey key, Volume volume, Duration took) {
    add(key, key.op(), volume, took);
  }
  // add() for an operation that is a compile-time constant.
  template <class Duration = Ticks>
  [[gnu::always_inline]] void add(RecordKey key, Op op, Volume volume, Duration took) {
    if (Record* const record = find_or_insert(key, op)) [[likely]]
      record->add(volume, took);
  }

  // add() for a completed receive. It compares with the record of the latest receive first: finding the latest record
  // of key.op() would have to wait for the load of the key.
  [[gnu::always_inline]] void add_received(RecordKey key, Volume volume, Ticks took) {
    Record* record = recent_receive_;
    if (record->key != key) [[unlikely]] {
      record = find_or_insert(key);
      if (record == nullptr) return;
      recent_receive_ = record;
    }
    record->add(volume, took);
  }

  // The record of a key, made at its first use. nullptr in a pause, and when memory is used up, which counts as a
  // dropped record.
  [[gnu::always_inline]] Record* find_or_insert(RecordKey key) { return find_or_insert(key, key.op()); }
  [[gnu::always_inline]] Record* find_or_insert(RecordKey key, Op op) {
    Record* const latest = recent(op);
    if (latest->key == key) [[likely]]
      return latest;
    return search_or_insert(key);
  }
  // The record that was found last for an operation; no_record before the first.
  Record* recent(Op op) const { return recent_[static_cast<std::size_t>(op)]; }

  // Calls visit(copy) for each record, in the order in which they were made. Any thread may, at any time.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for (std::size_t i = 0, n = records_.size(); i < n; ++i) visit(records_[i].copy());
  }

  Shard* next() const { return next_; }

  PlaceCaches caches;  // first, so that they have the shard's address
  PeerTable peers;
  CallMemory* call_memory = nullptr;  // what the thread's calls hold, or have held
  AwaitedRelease release;             // the innermost one
  ThreadRequests* requests = nullptr;
  InternalMessages* internal_messages = nullptr;
  CurrentCall* current_call = &call_not_shown;
  std::uint32_t number = 0;                         // among all shards
  std::atomic<int> thread{0};                       // the number of the latest one
  std::atomic<std::uint64_t> queued_outside_ns{0};  // the time that its threads have waited for a processor outside MPI

 private:
  friend class Shards;
  Record* search_or_insert(RecordKey key);
  Record* insert(RecordKey key);
  static Record* drop_record();

  Record* recent_receive_ = &no_record;
  Record* recent_[std::size_t{1} << RecordKey::op_bits];  // of each operation

  Index<RecordKey, Record*> index_;  // of records_
  Shard* next_ = nullptr;
  Shard* next_left_ = nullptr;
  Arena<Record, 8, 24> records_;
};

// The thread-local data of the wrappers.
struct ThreadState {
  void const* outermost_call = nullptr;  // the frame of the wrapper that the thread is in, unless its call was left
  void const* site = nullptr;            // where the latest call counts
  void const* binding_site = nullptr;    // the site of a binding's call, which becomes the site of the next call
  Shard* shard = nullptr;
  ThreadRequests* requests = nullptr;  // the shard's
  std::size_t internal_messages = 0;   // sent by the MPI within the call, not counted yet
  HandledError handled;
  PollingTime polling;
  QueueTime queue;
  CurrentCall* current_call = &call_not_shown;
};
extern constinit thread_local ThreadState this_thread;

// A binding_site with this address makes the thread's calls look for their callers (COMMPROF_STACK).
extern char const callers_wanted;

// The site of calls that callbacks make: nothing counts there.
extern char const within_callback;

// All shards of the process. They outlive their threads.
class Shards {
 public:
  // The calling thread's shard; nullptr when memory is used up.
  static Shard* mine() {
    Shard* const shard = this_thread.shard;
    return shard != nullptr ? shard : claim();
  }
  static Shard* first();
  // The number of threads that have had a shard.
  static std::uint64_t threads();
  // The most of these threads that lived at the same time.
  static std::uint64_t threads_at_once();
  // The time that a thread has waited for a processor outside MPI: the longest one. Nothing if it is not known.
  static std::optional<std::uint64_t> longest_queue_outside_ns();

 private:
  static Shard* claim();
  static void leave(void* left);
};

// Counts a message to or from a peer. Only for the first one is world_rank() called, which returns the peer's rank.
template <class AskWorldRank>
void count_message(RecordKey key, Peer peer, std::uint64_t bytes, AskWorldRank&& world_rank) {
  if (key.is_of_nothing()) return;
  Shard* const shard = Shards::mine();
  PeerRecord* const record = shard == nullptr ? nullptr : shard->peers.find_or_insert(key, peer, world_rank);
  if (record == nullptr) return dropped::count(Dropped::messages);
  record->add(bytes);
}

}  // namespace commprof
