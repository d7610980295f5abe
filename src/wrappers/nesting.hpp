// Which calls are nested in another call: those that an MPI makes of its own functions, and those of callbacks.
//
// A thread remembers the stack frame of its outermost wrapper. This frame alone does not decide: the outermost call may
// have been left by longjmp, or it may belong to another fiber on this thread (ucontext, Argobots, Boost.Fiber), which
// has its own stack.
#pragma once

#include <atomic>
#include <cstdint>

namespace commprof::nesting {

// The address range of the first library of the MPI that called MPI. With MPICH, that is its Fortran library, from
// which each Fortran call continues in C. Set once.
inline std::atomic<std::uintptr_t> first_library{0};
inline std::atomic<std::uintptr_t> bytes_of_first_library{0};

// is_within() for a caller outside first_library.
bool is_within_after_all(void const* outermost, void const* frame, void const* caller);

// Whether a call is nested in the outermost one of its thread. outermost: the frame of the wrapper that the thread has
// entered and not left; frame: the canonical frame address of the call's wrapper; caller: its return address. Takes
// microseconds unless the MPI itself makes the call. Safe to call from any thread; allocates nothing.
[[gnu::always_inline]] inline bool is_within(void const* outermost, void const* frame, void const* caller) {
  std::uintptr_t const bytes = bytes_of_first_library.load(std::memory_order_acquire);
  std::uintptr_t const place = reinterpret_cast<std::uintptr_t>(caller) - first_library.load(std::memory_order_relaxed);
  if (place < bytes && frame < outermost) [[likely]]
    return true;
  return is_within_after_all(outermost, frame, caller);
}

}  // namespace commprof::nesting
