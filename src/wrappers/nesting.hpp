// Which calls are part of another one: what an MPI builds on its own functions, and what the program's callbacks call.
//
// A thread remembers the frame of the call it is in. That alone does not tell: a call may have been left by longjmp,
// and where threads of user level take turns on one of the system's (ucontext, Argobots, Boost.Fiber), the frame may be
// on another stack.
#pragma once

#include <atomic>
#include <cstdint>

namespace commprof::nesting {

// The library of the MPI that was first seen to call: where MPICH's Fortran calls its C, each call comes from there.
// Set once.
inline std::atomic<std::uintptr_t> first_library{0};
inline std::atomic<std::uintptr_t> bytes_of_first_library{0};

// The same as is_within() for any call.
bool is_within_after_all(void const* outermost, void const* frame, void const* caller);

// Whether a call is made within the one that the thread is known to be in. frame: the canonical frame address of the
// call's wrapper; caller: its return address; outermost: the frame of the wrapper that the thread entered and did not
// leave. Takes microseconds unless the MPI itself makes the call. Safe to call from any thread; allocates nothing.
[[gnu::always_inline]] inline bool is_within(void const* outermost, void const* frame, void const* caller) {
  std::uintptr_t const bytes = bytes_of_first_library.load(std::memory_order_acquire);
  std::uintptr_t const place = reinterpret_cast<std::uintptr_t>(caller) - first_library.load(std::memory_order_relaxed);
  if (place < bytes && frame < outermost) [[likely]]
    return true;
  return is_within_after_all(outermost, frame, caller);
}

}  // namespace commprof::nesting
