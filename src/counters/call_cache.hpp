// Remembers the calls that a thread made lately, one entry for each operation on each communicator at each site: what
// the handle stands for, so that MPI need not be asked, and the record that the call counted in, so that the index need
// not be searched.
//
// MPI gives a handle out again once its communicator is freed. So what is remembered holds only as long as the record
// says that the handle is its own; a thread that is handed a new communicator with an old handle has synchronised with
// the one that freed the old one, and so sees that it no longer is. A record that several communicators share knows the
// handle of the latest only: the handles of the others are remembered apart, and are void, in all threads, as soon as
// any communicator of that kind is freed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/ids.hpp"

namespace commprof {

struct Communicator;
struct PeerRecord;
struct Record;
struct Sampler;

// Of no communicator.
extern Communicator const no_communicator;
// Both to nobody; the messages of a call that remembers the second one are not to be counted.
extern PeerRecord no_peer, unwanted_peer;

struct alignas(32) CachedCall {
  static constexpr std::uint64_t no_place = UINT64_MAX;

  Communicator const* comm = &no_communicator;
  std::uint64_t place = no_place;  // where it was made: see State::place_of(). no_place: there is no record yet
  Record* record = nullptr;        // its key says of which operation and size
  union {
    PeerRecord* peer = &no_peer;  // where the latest message counts that a call of that record sent
    Sampler* sampler;             // if the record is that of a collective call that is sampled
  };
};

class CallCache {
 public:
  // Where a call is remembered, if it is.
  CachedCall& at(std::uint64_t handle, Op op, void const* site) {
    auto const place = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(site));
    return calls_[(hash(handle) + static_cast<std::uint32_t>(op) * 0x85EBCA6BU + place * 0xC2B2AE35U) >> (32 - bits)];
  }

  // The communicator of a handle, if that is known and its record is shared; else nullptr.
  Communicator const* shared(std::uint64_t handle) const {
    Shared const& known = shared_[hash(handle) >> (32 - shared_bits)];
    return known.handle == handle && known.age == current_age() ? known.comm : nullptr;
  }
  // age: what current_age() was before MPI was asked.
  void keep_shared(std::uint64_t handle, Communicator const* comm, std::uint32_t age) {
    shared_[hash(handle) >> (32 - shared_bits)] = {handle, comm, age};
  }
  static std::uint32_t current_age() { return current_age_.load(std::memory_order_relaxed); }
  // threaded: others may be doing the same.
  static void forget_shared(bool threaded) {
    if (threaded) current_age_.fetch_add(1, std::memory_order_relaxed);
    else current_age_.store(current_age() + 1, std::memory_order_relaxed);
  }

 private:
  struct Shared {
    std::uint64_t handle = 0;
    Communicator const* comm = nullptr;
    std::uint32_t age = 0;
  };
  static constexpr unsigned bits = 10;
  static constexpr unsigned shared_bits = 6;
  static std::uint32_t hash(std::uint64_t handle) { return static_cast<std::uint32_t>(handle) * 0x9E3779B1U; }

  static inline std::atomic<std::uint32_t> current_age_{1};  // what is of age 0 holds nothing
  CachedCall calls_[std::size_t{1} << bits];
  Shared shared_[std::size_t{1} << shared_bits];
};

// Remembers the scopes in which a thread's calls counted lately. Zeroed memory remembers none.
class ScopeCache {
 public:
  // The detail of the scope's keys, without operation and size; nullptr if it is not remembered.
  [[gnu::always_inline]] std::uint32_t const* find(std::uint64_t place) const {
    std::size_t const first = slot(place);
    if (known_[first].inverted_place == ~place) [[likely]]
      return &known_[first].base;
    Known const& other = known_[first ^ 1];
    return other.inverted_place == ~place ? &other.base : nullptr;
  }
  // The one before goes to the slot beside, so that two places of one slot do not drive each other out.
  void keep(std::uint64_t place, std::uint32_t base) {
    std::size_t const first = slot(place);
    known_[first ^ 1] = known_[first];
    known_[first] = {~place, base};
  }

 private:
  struct Known {
    std::uint64_t inverted_place = 0;  // no place is all ones
    std::uint32_t base = 0;
  };
  static constexpr unsigned bits = 8;
  static std::size_t slot(std::uint64_t place) { return place * 0x9E3779B97F4A7C15ULL >> (64 - bits); }

  Known known_[std::size_t{1} << bits];
};

}  // namespace commprof
