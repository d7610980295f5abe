// The call that a thread is in, for readers of the spool of a running or killed process.
//
// A wrapper stores it when its call begins, and sets op to 0 when the call ends. The stores are not atomic as a whole:
// a reader may see parts of two calls, so it reads twice. Only the ranks that the operation has as parameters
// (calls::Row) are valid; the others are left from earlier calls. Ranks are as the program gave them, MPI_ANY_SOURCE
// included.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.hpp"
#include "base/ids.hpp"

namespace commprof {

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

  [[gnu::always_inline]] CurrentCall& begin(Op which, Ticks now, void const* return_address) {
    set(since.count, now.count);
    set(site, reinterpret_cast<std::uintptr_t>(return_address));
    return set(op, static_cast<std::uint32_t>(which) + 1);
  }
  [[gnu::always_inline]] CurrentCall& on(std::uint64_t handle) { return set(comm, handle); }
  [[gnu::always_inline]] CurrentCall& to(std::int32_t rank) { return set(dest, rank); }
  [[gnu::always_inline]] CurrentCall& from(std::int32_t rank) { return set(source, rank); }
  [[gnu::always_inline]] CurrentCall& rooted(std::int32_t rank) { return set(root, rank); }
  [[gnu::always_inline]] void end(Ticks now) {
    set(op, 0U);
    set(since.count, now.count);
  }

 private:
  template <class T>
  [[gnu::always_inline]] CurrentCall& set(T& member, T value) {
    std::atomic_ref(member).store(value, std::memory_order_relaxed);
    return *this;
  }
};
static_assert(sizeof(CurrentCall) == 64);

// For threads without a CurrentCall in the spool; it is never read.
inline constinit CurrentCall call_not_shown;

}  // namespace commprof
