// The calls that are left out: operations by COMMPROF_OPS, communicators by COMMPROF_COMMS.
//
// A call that is left out takes the same fast path as others, and adds to a record that no profile shows. So a call
// that the CallCache knows costs no check here.
#pragma once

#include <string_view>

#include "base/ids.hpp"
#include "counters/records.hpp"
#include "counters/shards.hpp"
#include "counters/state.hpp"
#include "options/selection.hpp"

namespace commprof {

class LeftOut {
 public:
  // Whether a communicator is left out. A callback, since this folder does not know names and sizes.
  using OfComm = bool (*)(CommIndex comm);

  // Must be called before the first call counts. The lists are options; of_comm is called if `comms` excludes any
  // communicator.
  void begin(std::string_view ops, std::string_view comms, OfComm of_comm);

  bool is_any() const { return is_any_; }
  [[gnu::always_inline]] bool has(CommIndex comm, Op op) const { return is_any_ && look_up(comm, op); }

 private:
  bool look_up(CommIndex comm, Op op) const;

  bool is_any_ = false;
  OfComm of_comm_ = nullptr;  // nullptr: no communicator is left out
  selection::OperationSet ops_{};
};

inline constinit LeftOut left_out;

// The place where the thread's current call counts: see State::here(). The scope of an excluded call is no_scope.
[[gnu::always_inline]] inline State::Here here(CommIndex comm, Op op) {
  if (left_out.has(comm, op)) [[unlikely]]
    return {state.place_of(this_thread.site), RecordKey::detail_of(no_scope, Op{}, SizeBin{})};
  return state.here();
}
// The key, without size, of a request that the current call begins.
inline RecordKey key_of_begun(CommIndex comm, Op op) {
  return RecordKey::of(comm, here(comm, op).base | RecordKey::kind_of(op, SizeBin{}));
}

}  // namespace commprof
