// Remembers the calls that a thread made lately, one entry for each operation on each communicator: what the handle stands
// for, so that MPI need not be asked, and the record that the call counted in, so that the index need not be searched.
//
// MPI gives a handle out again once its communicator is freed, so everything that is remembered, in all threads, is void as soon
// as any communicator is freed. A thread that is handed a new communicator with an old handle has synchronised with the one
// that freed the old one, and so sees that.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "profile/ids.hpp"

namespace commprof {

struct Communicator;
struct PeerRecord;
struct Record;

struct CachedCall {
  static constexpr int no_dest = INT32_MIN;
  // That of no record: there is none yet.
  static constexpr std::uint32_t no_detail = UINT32_MAX - 1;

  std::uint64_t handle = 0;
  Communicator const* comm = nullptr;
  Record* record = nullptr;
  std::uint32_t detail = no_detail;  // the part of the record's key that is not the communicator
  std::uint32_t age = 0;
  // To whom the latest call of that record sent, and where that counts.
  PeerRecord* peer = nullptr;
  int dest = no_dest;
};

class CallCache {
 public:
  // Where a call is remembered: is_of() tells whether it is.
  CachedCall& at(std::uint64_t handle, Op op) {
    return calls_[(handle + static_cast<std::uint64_t>(op) * 0x9E3779B1U) * 0x9E3779B97F4A7C15ULL >> (64 - bits)];
  }
  static bool is_of(CachedCall const& call, std::uint64_t handle) {
    return ((call.handle ^ handle) | (call.age ^ age.load(std::memory_order_relaxed))) == 0;
  }

  // The age, to be read before MPI is asked for what is to be remembered.
  static std::uint32_t current_age() { return age.load(std::memory_order_relaxed); }
  static void forget_all() { age.fetch_add(1, std::memory_order_relaxed); }

 private:
  static constexpr unsigned bits = 10;
  static inline std::atomic<std::uint32_t> age{1};  // an entry of age 0 holds nothing
  CachedCall calls_[std::size_t{1} << bits];
};

}  // namespace commprof
