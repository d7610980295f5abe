// Cuts the run into windows of time, and keeps what this process did in each: see time_window_table.hpp.
//
// A call pays nothing for it: the first call that ends in a new window adds up all records of the process, and what
// they have more than the windows belongs to the time since the last such call. So the sums of the windows are those of
// the records. A thread cannot have been in MPI for longer than since the last window began: if it was, a long call has
// just ended that is not passed, or not yet, and its time belongs before its end. A call that began in an earlier
// window is spread over the windows that it covers. Adding up takes at most a small part of the run: if there are many
// records, windows are noticed more seldom, and share evenly what happened in them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/memory.hpp"
#include "counters/counters.hpp"
#include "message_waits/message_waits.hpp"
#include "time_windows/time_window_table.hpp"

namespace commprof {

class TimeWindows {
 public:
  // windows: the most windows to use; an odd number is rounded down. alarm: calls compare
  // their time with its limit, so it is set to the begin of the next window, too.
  void begin(Ticks now, std::uint32_t windows, WindowClock const& clock, MessageWaits& alarm);

  // Called for a call that may be the first to end in a window, or that another thread's call has preceded. is_added:
  // its record has it already. op: nothing if it is not known.
  void pass(Interval call, Op op, bool is_added);

  // Calls visit(table) unless there is none. No call changes the table meanwhile.
  template <class Visitor>
  void with_table(Visitor&& visit) {
    Guard const guard(mutex_);
    if (table_ != nullptr) visit(std::as_const(*table_));
  }

 private:
  Position there(Ticks here) const { return table_->clock().of(here, clock::first_reading(), rate_); }
  // What the windows have of the thread's records; nullptr if memory is used up.
  WindowAmounts* added_of(Shard const& shard);
  // The part of a call's time that passed before the current window was opened. time: all of it.
  std::uint64_t before_opened(Ticks entry, Ticks time) const;
  // own: this thread's shard; nullptr if the call does not count.
  void add_up(Ticks entry, Ticks exit, Op op, bool is_added, Shard const* own);
  // Adds the call that opens a window.
  void add_own(Ticks entry, Ticks exit, Op op, bool is_added, WindowAmounts& added, WindowAmounts const& sums);
  // Adds what a thread has counted since the last window was opened, until `by`. most: the time since the last window
  // began.
  void add_rest(WindowAmounts& added, WindowAmounts const& sums, Position by, Ticks most);
  void set_due(Ticks exit, Ticks cost);

  std::mutex mutex_;
  TimeWindowTable* table_ = nullptr;
  MessageWaits* alarm_ = nullptr;
  clock::Rate rate_{};
  LastingVector<WindowAmounts> added_;  // by the numbers of the shards: what the windows have of each
  Ticks begin_;
  Ticks due_{UINT64_MAX};  // when calls are to be added up
  Ticks handled_;          // the end of the latest call that was passed
  Position opened_ = 0;    // where the current window begins
  Ticks cost_;             // of adding up, so far
};

namespace time_windows {
extern constinit TimeWindows of_process;
}  // namespace time_windows

}  // namespace commprof
