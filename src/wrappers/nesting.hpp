// Finds out which calls are nested in another call: those that an MPI makes of its own functions, and those of
// callbacks.
//
// A thread remembers the stack frame of its outermost wrapper. This frame alone does not decide: the outermost call may
// have been left by longjmp, or it may belong to another fiber on this thread (ucontext, Argobots, Boost.Fiber), which
// has its own stack.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/clock.hpp"

namespace commprof {

// What a wrapper does for its call.
enum class Role : std::uint8_t {
  counted,  // an outermost call
  // A call of a callback: part of the call that runs the callback, so it does not count. But requests, communicators,
  // windows, files and messages come and go in it, so the tables are kept. After stop(), this_thread.site is
  // within_callback, where nothing counts (State::base_anew).
  kept,
  inner,  // a call that the MPI makes, or one of a process that is not profiled: only forwarded
};

namespace nesting {

// The address range of the first language binding's library that called MPI: MPICH's Fortran library, from which each
// Fortran call continues in C. Set once.
inline std::atomic<std::uintptr_t> first_library{0};
inline std::atomic<std::uintptr_t> bytes_of_first_library{0};

// Whether the address is in a library of the MPI.
bool is_in_mpi(void const* address);

// role_beside() for a caller outside first_library.
Role role_after_all(void const* outermost, void const* frame, void const* caller);

// The role of a call of a thread that remembers an outermost call. outermost: the frame of that call's wrapper, which
// may have been left; frame: the canonical frame address of this call's wrapper; caller: its return address. Takes
// microseconds unless the MPI itself makes the call, or a callback that has called from there before. Safe to call from
// any thread.
[[gnu::always_inline]] inline Role role_beside(void const* outermost, void const* frame, void const* caller) {
  std::uintptr_t const bytes = bytes_of_first_library.load(std::memory_order_acquire);
  std::uintptr_t const place = reinterpret_cast<std::uintptr_t>(caller) - first_library.load(std::memory_order_relaxed);
  if (place < bytes && frame < outermost) [[likely]]
    return Role::inner;
  return role_after_all(outermost, frame, caller);
}

// Called when an error handler of the program has returned: keeps the error for the wrapper of the failed call, if that
// call may return something else. The failed call may also be one without a wrapper, in a callback within another call.
// Takes microseconds if it keeps the error. left: the code as the handler has left it.
void keep_error(int error, int left);

// The error of the call with this wrapper's frame, which began at `start`: the returned one; or the kept one, if the
// returned one is success or the code that the handler left.
int error_of(void const* frame, Ticks start, int returned);

}  // namespace nesting
}  // namespace commprof
