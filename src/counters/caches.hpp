// A thread's caches by the addresses of its call sites.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "base/ids.hpp"

namespace commprof {

struct Communicator;
struct PeerRecord;
struct Record;

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

// Emptied when a library may be unloaded: Shards::forget_places().
struct PlaceCaches {
  CallCache calls;
  ScopeCache scopes;

  void clear() { new (this) PlaceCaches; }  // in place: too large for the stack
};

}  // namespace commprof
