// A call of MPI, from the wrapper's first instruction to its last: stamp, forward, stamp.
//
// The time between the stamps includes the wrapper's work before it forwards the call, such as copying the keys of
// requests. The work after the second stamp is in counting.hpp and issuing.hpp.
//
// A call can be left without a return, and no destructor of its wrapper runs then: see docs/design.md, "Calls that are
// left".
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"
#include "counters/counters.hpp"
#include "mpi/mpi.hpp"

namespace commprof::call_stack {

// Finds the callers of the function that makes a call, for COMMPROF_STACK and in Python.
//
// A site in a library says little about a program that calls the library from many places. So the stack is unwound up
// to the first caller in the program itself. That takes microseconds for each call. In a process of Python, a line of
// Python is the site of each call, and its callers are lines of Python.
//
// The site of the call that a wrapper begins, if it is not just the wrapper's return address: a binding has set another
// one, or callers are asked for. Only the table of sites allocates memory.
void const* site_of_call(void const* return_address);

}  // namespace commprof::call_stack

namespace commprof {

// Memory of a call beyond the frame of its wrapper: the keys and statuses of its requests. A block belongs to the call,
// not to the thread: a callback of the program or another fiber may make calls meanwhile.
struct CallMemory {
  void const* frame = nullptr;  // the canonical frame address of the call's wrapper; nullptr: the block is free
  CallMemory* next = nullptr;
  std::size_t bytes = 0;

  template <class T>
  T* as() {
    return reinterpret_cast<T*>(this + 1);
  }
  template <class T>
  T const* as() const {
    return reinterpret_cast<T const*>(this + 1);
  }
};

namespace call_memory {

// A block for the call with this frame; nullptr when memory is used up.
CallMemory* take_another(void const* frame, std::size_t bytes);

[[gnu::always_inline]] inline CallMemory* take(void const* frame, std::size_t bytes) {
  Shard const* const shard = this_thread.shard;
  CallMemory* const first = shard == nullptr ? nullptr : shard->call_memory;
  if (first == nullptr || first->frame != nullptr || first->bytes < bytes) [[unlikely]]
    return take_another(frame, bytes);
  first->frame = frame;
  return first;
}

// Frees the blocks of calls with this frame, which were left.
void release(void const* frame);

}  // namespace call_memory

// The memory of a call during its lifetime.
class HeldMemory {
 public:
  // Construct it in the wrapper itself.
  [[gnu::always_inline]] explicit HeldMemory(std::size_t bytes)
      : memory_(call_memory::take(__builtin_dwarf_cfa(), bytes)) {}
  HeldMemory(HeldMemory const&) = delete;
  HeldMemory& operator=(HeldMemory const&) = delete;
  [[gnu::always_inline]] ~HeldMemory() {
    if (memory_ != nullptr) [[likely]]
      memory_->frame = nullptr;
  }

  explicit operator bool() const { return memory_ != nullptr; }
  CallMemory* operator->() const { return memory_; }

 private:
  CallMemory* memory_;
};

// Finds out which calls are nested in another call: those that an MPI makes of its own functions, and those of
// callbacks. See docs/design.md, "Nested calls".
//
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
// microseconds unless the MPI itself makes the call. Safe to call from any thread.
[[gnu::always_inline]] inline Role role_beside(void const* outermost, void const* frame, void const* caller) {
  std::uintptr_t const bytes = bytes_of_first_library.load(std::memory_order_acquire);
  std::uintptr_t const place = reinterpret_cast<std::uintptr_t>(caller) - first_library.load(std::memory_order_relaxed);
  if (place < bytes && frame < outermost) [[likely]]
    return Role::inner;
  return role_after_all(outermost, frame, caller);
}

// Called when an error handler of the program has returned: keeps the error for the wrapper of the failed call, which
// may return something else. left: the code as the handler has left it.
void keep_error(int error, int left);

// The error of a call that began at `start`: the returned one; or the kept one, if it is of that time and the returned
// one is success or the code that the handler left. The failed call may have been one without a wrapper, in a callback.
int error_of(bool is_outermost, Ticks start, int returned);

}  // namespace nesting

class Call {
 public:
  // Construct it in the wrapper itself, whose frame identifies the call.
  [[gnu::always_inline]] Call() : role_(role()) {
    if (role_ == Role::inner) return;
    site_ = return_address();
    if (is_counted()) [[likely]] {
      this_thread.outermost_call = frame();
      if (this_thread.binding_site != nullptr) [[unlikely]]
        site_ = call_stack::site_of_call(site_);
    }
    start_ = clock::now();
  }
  Call(Call const&) = delete;
  Call& operator=(Call const&) = delete;
  [[gnu::always_inline]] ~Call() {
    if (is_counted()) this_thread.outermost_call = nullptr;
  }

  // A wrapper forwards other calls at once. is_kept(): for a function that changes tables.
  bool is_counted() const { return role_ == Role::counted; }
  bool is_kept() const { return role_ != Role::inner; }

  // Shows the call to readers of the spool.
  [[gnu::always_inline]] CurrentCall& show(Op op) const {
    return is_counted() ? this_thread.current_call->begin(op, start_, site_) : call_not_shown;
  }

  // Shows a call that polls. In a loop of polls, the call begins when the one before has ended.
  [[gnu::always_inline]] CurrentCall& show_poll(Op op) {
    if (is_counted()) start_ = this_thread.current_call->begin_of_poll(start_);
    return show(op);
  }

  // Sets the site: callbacks and other user-level threads of this thread may have made calls meanwhile.
  [[gnu::always_inline]] void stop() {
    elapsed_ = clock::since(start_);
    if (is_counted()) [[likely]] {
      this_thread.site = site_;
      this_thread.current_call->end(start_ + elapsed_, elapsed_);
    } else {
      this_thread.site = &within_callback;
    }
  }
  // For a call that polls, after stop(). found: it need not be made again.
  [[gnu::always_inline]] void polled(bool found) const {
    if (is_counted()) this_thread.current_call->end_poll(start_ + elapsed_, found);
  }
  // The error of the call: what MPI returned, or the error that a handler of the program got during the call.
  [[gnu::always_inline]] int error(int returned) const {
    if (this_thread.handled.code == 0) [[likely]]
      return returned;
    return nesting::error_of(is_counted(), start_, returned);
  }
  Ticks start() const { return start_; }
  Ticks elapsed() const { return elapsed_; }
  Interval interval() const { return {elapsed_, start_ + elapsed_}; }
  void const* site() const { return site_; }

 private:
  // Usually there is no outer call, which costs one comparison.
  [[gnu::always_inline]] static Role role() {
    if (!state.is_tracking()) return Role::inner;
    void const* const outermost = this_thread.outermost_call;
    if (outermost == nullptr) [[likely]]
      return Role::counted;
    return nesting::role_beside(outermost, frame(), __builtin_return_address(0));
  }
  // The canonical frame address. __builtin_frame_address would reserve a register as the frame pointer.
  [[gnu::always_inline]] static void const* frame() { return __builtin_dwarf_cfa(); }

  [[gnu::always_inline]] static void const* return_address() {
    return __builtin_extract_return_addr(__builtin_return_address(0));
  }

  Role role_;
  void const* site_;
  Ticks start_;
  Ticks elapsed_;
};

}  // namespace commprof
