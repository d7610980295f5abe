// Cuts the run into windows of time, and keeps what this process did in each.
//
//   TimeWindowTable   the windows
//   OwnTimeWindows    a copy of them, for the profile; SummedWindows: those of several processes
//   TimeWindows       fills the table while the process runs
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <utility>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/memory.hpp"
#include "calls/by_operation.hpp"
#include "calls/families.hpp"
#include "counters/counters.hpp"
#include "message_waits/message_waits.hpp"

namespace commprof {

namespace detail {

inline constexpr auto kinds =
    calls::by_operation([](calls::Row const& row) { return calls::families[row.family].window_kind; });

}  // namespace detail

constexpr CallKind kind_of(Op op) { return detail::kinds[static_cast<std::size_t>(op)]; }

// A moment on the job's clock, in nanoseconds.
using Position = std::uint64_t;

// The clock of the windows: nanoseconds of the first host's monotonic clock or, if clocks cannot be compared, since the
// process's own MPI_Init.
struct WindowClock {
  std::int64_t offset_ns = 0;  // to be added to this host's monotonic clock
  std::uint32_t is_common = 1;
  std::uint32_t is_monotonic = 0;  // the process's ticks are nanoseconds of its host's monotonic clock

  // first: a reading of the process's clock; rate: since then.
  Position of(Ticks here, clock::Reading const& first, clock::Rate rate) const;
  Ticks here(Position there, clock::Reading const& first, clock::Rate rate) const;
};

struct WindowAmount {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;  // sent and received
  std::uint64_t time = 0;   // in MPI; ticks of the process

  WindowAmount& operator+=(WindowAmount const& other) {
    calls += other.calls;
    bytes += other.bytes;
    time += other.time;
    return *this;
  }
  // What is missing for `all`; fields of which there is more already are 0.
  WindowAmount missing_for(WindowAmount const& all) const {
    auto const rest = [](std::uint64_t whole, std::uint64_t part) { return whole > part ? whole - part : 0; };
    return {rest(all.calls, calls), rest(all.bytes, bytes), rest(all.time, time)};
  }
};
using WindowAmounts = std::array<WindowAmount, call_kinds>;
// Adds the counts of a record to the sums.
inline void add_record(WindowAmounts& sums, Record const& record) {
  sums[static_cast<std::size_t>(kind_of(record.key.op()))] +=
      WindowAmount{record.calls, record.bytes.total(), record.time.count};
}

// What a process did in each window of time: calls, bytes and time in MPI by kind of call.
//
// A window is 2^shift nanoseconds wide, and the windows of all processes begin at the same moments. When
// the table is full, neighbours are joined and the width doubles. The table lies in the spool, so it has no pointers:
// it is kept twice, and joining writes the copy that is not in force, so that one of them is always whole.
class TimeWindowTable {
 public:
  static constexpr std::uint32_t least_windows = 16, most_windows = 4096;

  // The size of a table with an even number of windows.
  static constexpr std::size_t bytes_for(std::uint32_t windows) {
    return sizeof(TimeWindowTable) + std::size_t{2} * windows * sizeof(WindowAmounts);
  }
  // Makes a table in zeroed memory.
  static TimeWindowTable* make(void* memory, std::uint32_t windows, WindowClock const& clock, Position begin);
  // Whether so many bytes are a table, in which the numbers that lead to others are sound.
  bool is_sound(std::size_t bytes) const;

  std::uint32_t windows() const { return windows_; }
  std::uint32_t shift() const { return half().shift; }
  WindowClock const& clock() const { return clock_; }
  Position begin() const { return begin_; }
  // The number of the window at a position, and of the first one.
  std::uint64_t number(Position position) const { return position >> shift(); }
  std::uint64_t first() const { return half().first; }
  WindowAmounts const& at(std::uint32_t i) const { return amounts(in_force_)[i]; }
  WindowAmounts sum() const;

  // When the calls that had ended were added. The next call that ends at due() or later adds those since then.
  Position swept() const { return swept_; }
  Position due() const { return due_; }
  void set_swept(Position at) { swept_ = at; }
  void set_due(Position at) { due_ = at; }
  // Adds what calls have counted since swept(). All have ended by then and before due(), except calls that only issue
  // requests, which are not looked at when they end: if the time does not fit before due(), one of these was long.
  void add_rest(CallKind kind, Position by, WindowAmount const& amount, clock::Rate rate) {
    Position const before_due = due_ > 0 && by >= due_ ? due_ - 1 : by;
    Position const filled = std::min(by, swept_ + rate.to_ns({amount.time}));
    add(kind, swept_, std::max({swept_, before_due, filled}), amount);
  }

  // Joins windows until there is one for the position.
  void reach(Position position);
  // Adds an amount that was spread evenly over the time; at one position if both are equal.
  void add(CallKind kind, Position from, Position until, WindowAmount const& amount);

 private:
  struct Half {
    std::uint64_t first = 0;  // number of the first window
    std::uint32_t shift = 0;
    std::uint32_t unused = 0;
  };

  Half const& half() const { return halves_[in_force_]; }
  WindowAmounts* amounts(std::uint32_t half) const {
    auto* const behind = reinterpret_cast<WindowAmounts*>(const_cast<TimeWindowTable*>(this) + 1);
    return behind + std::size_t{half} * windows_;
  }
  void join();
  // The index of the window at a position, or of the nearest one.
  std::uint32_t place(Position position) const;

  WindowClock clock_;
  Position begin_ = 0;
  Position swept_ = 0;
  Position due_ = 0;
  Half halves_[2];
  std::uint32_t windows_ = 0;
  std::uint32_t in_force_ = 0;
};

// The windows of time of one process, as they go into the profile, and their sums over several processes. Used by the
// processes of a run, and by the reader for those that were killed.

// Which windows the processes of a run have. Sent as raw bytes.
struct WindowSpan {
  std::uint32_t is_known = 0;
  std::uint32_t windows = 0;  // the most
  std::uint32_t shift = 0;
  std::uint32_t clocks = 0;  // a bit for each kind of clock in use
  Position begin = 0, end = 0;

  void merge(WindowSpan const& other);
  // Makes windows so wide that there are not too many. Must be called once all processes are merged.
  void widen();
  std::size_t size() const { return static_cast<std::size_t>((end >> shift) - (begin >> shift) + 1); }
  // Whether all processes have clocks of one kind, so that their windows can stand in one file.
  bool is_of_one_clock() const { return is_known != 0 && (clocks & (clocks - 1)) == 0; }
  std::uint64_t width_ns() const { return std::uint64_t{1} << shift; }
  bool is_common() const { return (clocks & common) != 0; }
  static constexpr std::uint32_t common = 1, own = 2;
};

class OwnTimeWindows {
 public:
  OwnTimeWindows() = default;
  OwnTimeWindows(OwnTimeWindows const&) = delete;
  OwnTimeWindows& operator=(OwnTimeWindows const&) = delete;

  // Takes a copy of the table, and adds what the records have counted since. start: of the run. first, rate: of the
  // process's clock.
  void take(TimeWindowTable const& table, WindowAmounts const& of_records, Ticks start, Ticks now,
            clock::Reading const& first, clock::Rate rate);

  // Adds the time of a call that had not ended at `end`. first: as given to take(), which must be called before.
  void add_unfinished(CallKind kind, Ticks begin, Ticks end, clock::Reading const& first);

  bool is_known() const { return table_.size() > 0; }
  WindowSpan span() const { return span_; }
  clock::Rate rate() const { return rate_; }
  TimeWindowTable const& table() const { return *reinterpret_cast<TimeWindowTable const*>(table_.begin()); }

 private:
  PageVector<std::uint64_t> table_;
  WindowSpan span_;
  clock::Rate rate_{};
};

// The sums of neighbouring ranks in each window, with times in nanoseconds.
class SummedWindows {
 public:
  // False if memory is used up.
  bool begin(WindowSpan const& span);
  void add(OwnTimeWindows const& own);
  // False if the other sums have other windows.
  bool add(SummedWindows const& others);

  PageVector<WindowAmounts> const& all() const { return all_; }
  // Visits the part to send or receive.
  template <class Visitor>
  void visit(Visitor&& visitor) {
    visitor(all_);
  }

 private:
  WindowSpan span_;
  PageVector<WindowAmounts> all_;
};

// How many neighbouring ranks are added up: a power of two. is_of_sums: only few ranks have rows of their own.
int ranks_of_windows(int ranks, bool is_of_sums);

// A call pays nothing for it: the first call that ends in a new window adds up all records of the process, and what
// they have more than the windows belongs to the time since the last such call. So the sums of the windows are those of
// the records. A thread cannot have been in MPI for longer than since the last window began: if it was, a long call has
// just ended that is not passed, or not yet, and its time belongs before its end. A call that began in an earlier
// window is spread over the windows that it covers. Adding up takes at most a small part of the run: if there are many
// records, windows are noticed more seldom, and share evenly what happened in them.
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
