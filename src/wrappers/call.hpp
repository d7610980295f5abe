// A call of MPI, from the wrapper's first instruction to its last: stamp, forward, stamp.
//
// A Call lives as long as the MPI call it stands for. It is true for the outermost call of a thread only: an MPI that
// builds one call upon another, or a callback that calls MPI, is counted once. The time between the stamps includes
// what a wrapper does before it forwards the call, such as copying the keys of requests. What follows the second stamp
// is in counting.hpp, in issuing.hpp for calls that begin a request, and in creating.hpp for calls that make or free a
// communicator.
#pragma once

#include "base/clock.hpp"
#include "counters/counters.hpp"
#include "wrappers/call_stack.hpp"
#include "wrappers/nesting.hpp"

namespace commprof {

class Call {
 public:
  // Construct it in the wrapper itself, whose frame identifies the call.
  [[gnu::always_inline]] Call() : active_(state.is_tracking() && !is_nested(frame())) {
    if (!active_) return;
    this_thread.outermost_call = frame();
    site_ = return_address();
    if (this_thread.binding_site != nullptr) [[unlikely]]
      site_ = call_stack::site_of_call(site_);
    start_ = clock::now();
  }
  Call(Call const&) = delete;
  Call& operator=(Call const&) = delete;
  [[gnu::always_inline]] ~Call() {
    if (active_) this_thread.outermost_call = nullptr;
  }

  explicit operator bool() const { return active_; }

  // Shows the call to readers of the spool.
  [[gnu::always_inline]] CurrentCall& show(Op op) const { return this_thread.current_call->begin(op, start_, site_); }

  // Restores the site: other user-level threads of this thread may have made calls meanwhile.
  [[gnu::always_inline]] void stop() {
    elapsed_ = clock::since(start_);
    this_thread.site = site_;
    this_thread.current_call->end(start_ + elapsed_);
  }
  Ticks elapsed() const { return elapsed_; }
  Interval interval() const { return {elapsed_, start_ + elapsed_}; }

 private:
  // Usually there is no outer call, which costs one comparison.
  [[gnu::always_inline]] static bool is_nested(void const* frame) {
    void const* const outermost = this_thread.outermost_call;
    if (outermost == nullptr) [[likely]]
      return false;
    return nesting::is_within(outermost, frame, __builtin_return_address(0));
  }
  // The canonical frame address. __builtin_frame_address would reserve a register as the frame pointer.
  [[gnu::always_inline]] static void const* frame() { return __builtin_dwarf_cfa(); }

  [[gnu::always_inline]] static void const* return_address() {
    return __builtin_extract_return_addr(__builtin_return_address(0));
  }

  bool active_;
  void const* site_;
  Ticks start_;
  Ticks elapsed_;
};

}  // namespace commprof
