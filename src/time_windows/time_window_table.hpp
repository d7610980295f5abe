// What a process did in each window of time: calls, bytes and time in MPI by kind of call.
//
// A window is 2^shift units of the job's clock wide, and the windows of all processes begin at the same moments. When
// the table is full, neighbours are joined and the width doubles. The table lies in the spool, so it has no pointers:
// it is kept twice, and joining writes the copy that is not in force, so that one of them is always whole.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"
#include "calls/by_operation.hpp"
#include "calls/families.hpp"
#include "counters/counters.hpp"

namespace commprof {

namespace detail {

inline constexpr auto kinds =
    calls::by_operation([](calls::Row const& row) { return calls::families[row.family].window_kind; });

}  // namespace detail

constexpr CallKind kind_of(Op op) { return detail::kinds[static_cast<std::size_t>(op)]; }

// A moment on the job's clock.
using Position = std::uint64_t;

// The clock of the windows. If all processes read one clock, positions are its ticks. Otherwise they are nanoseconds of
// the first host's monotonic clock or, if clocks cannot be compared, since the process's own MPI_Init.
struct WindowClock {
  std::int64_t offset_ns = 0;  // to be added to this host's monotonic clock
  std::uint32_t is_in_ns = 0;
  std::uint32_t is_common = 1;
  std::uint32_t is_monotonic = 0;  // the process's ticks are nanoseconds of its host's monotonic clock
  std::uint32_t unused = 0;

  // first: a reading of the process's clock; rate: since then.
  Position of(Ticks here, clock::Reading const& first, clock::Rate rate) const;
  Ticks here(Position there, clock::Reading const& first, clock::Rate rate) const;
  // A duration in the unit of positions.
  Position length(Ticks duration, clock::Rate rate) const {
    return is_in_ns == 0 || is_monotonic != 0 ? duration.count : rate.to_ns(duration);
  }
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
    Position const filled = std::min(by, swept_ + clock_.length({amount.time}, rate));
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

}  // namespace commprof
