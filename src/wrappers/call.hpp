// A call of MPI, from the wrapper's first instruction to its last: stamp, forward, stamp.
//
// A Call lives as long as the MPI call it stands for. The time between the stamps includes the wrapper's work before it
// forwards the call, such as copying the keys of requests. The work after the second stamp is in counting.hpp, in
// issuing.hpp for calls that begin a request, and in creating.hpp for calls that create or free a communicator.
//
// A call can be left without a return: by an exception or a longjmp of a callback, or by a fiber that switches and may
// never come back. No destructor of its wrapper runs then. So a thread keeps only addresses of a wrapper's stack, to
// compare with. A later call finds out whether the outermost call is still on its stack (nesting.hpp), and frees its
// memory if not (call_memory.hpp). A call that was left is not counted; the requests that it completed are, if that can
// be found out.
#pragma once

#include "base/clock.hpp"
#include "counters/counters.hpp"
#include "wrappers/call_stack.hpp"
#include "wrappers/nesting.hpp"

namespace commprof {

class Call {
 public:
  // Construct it in the wrapper itself, whose frame identifies the call.
  [[gnu::always_inline]] Call() : role_(role()) {
    if (role_ == Role::inner) return;
    site_ = return_address();
    if (is_counted()) [[likely]] {
      this_thread.outermost_call = frame();
      this_thread.outermost_return = site_;
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

  // Sets the site: callbacks and other user-level threads of this thread may have made calls meanwhile.
  [[gnu::always_inline]] void stop() {
    elapsed_ = clock::since(start_);
    if (is_counted()) [[likely]] {
      this_thread.site = site_;
      this_thread.current_call->end(start_ + elapsed_);
    } else {
      this_thread.site = &within_callback;
    }
  }
  // The error of the call: what MPI returned, or the error that a handler of the program got during the call.
  [[gnu::always_inline]] int error(int returned) const {
    return __builtin_expect(this_thread.handled.code, 0) == 0 ? returned : nesting::error_of(frame(), start_, returned);
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
