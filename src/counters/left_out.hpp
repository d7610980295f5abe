// The calls that the user wants nothing of: those of operations that COMMPROF_OPS leaves out, and those on
// communicators that COMMPROF_COMMS leaves out.
//
// Such a call takes the way of one that is counted, and adds to a record that no profile shows. So nothing is asked
// here at a call like the one before, neither of what counts nor of what does not.
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
  // Whether a communicator is left out; looked up by those who know its name and size.
  using OfComm = bool (*)(CommIndex comm);

  // Before the first call counts. The lists are those of the options; of_comm is asked if comms leaves any out.
  void begin(std::string_view ops, std::string_view comms, OfComm of_comm);

  bool is_any() const { return is_any_; }
  [[gnu::always_inline]] bool has(CommIndex comm, Op op) const { return is_any_ && look_up(comm, op); }

 private:
  bool look_up(CommIndex comm, Op op) const;

  bool is_any_ = false;
  OfComm of_comm_ = nullptr;  // nullptr: none is
  selection::OperationSet ops_{};
};

inline constinit LeftOut left_out;

// Where the call that the thread is in counts: see State::here(). What is left out counts in no scope.
[[gnu::always_inline]] inline State::Here here(CommIndex comm, Op op) {
  if (left_out.has(comm, op)) [[unlikely]]
    return {state.place_of(this_thread.site), RecordKey::detail_of(no_scope, Op{}, SizeBin{})};
  return state.here();
}
// The key, but for its size, of what the call begins and something later counts or completes.
inline RecordKey key_of_begun(CommIndex comm, Op op) {
  return RecordKey::of(comm, here(comm, op).base | RecordKey::kind_of(op, SizeBin{}));
}

}  // namespace commprof
