// Which calls are part of another one: what an MPI builds on its own functions, and what the program's callbacks call.
//
// A thread remembers the frame of the call it is in. That alone does not tell: a call may have been left by longjmp,
// and where threads of user level take turns on one of the system's (ucontext, Argobots, Boost.Fiber), the frame may be
// on another stack.
#pragma once

namespace commprof::nesting {

// Whether a call is made within the one that the thread is known to be in. frame: the canonical frame address of the
// call's wrapper; caller: its return address; outermost: the frame of the wrapper that the thread entered and did not
// leave. Takes microseconds unless the MPI itself makes the call. Safe to call from any thread; allocates nothing.
bool is_within(void const* outermost, void const* frame, void const* caller);

}  // namespace commprof::nesting
