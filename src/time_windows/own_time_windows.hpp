// The windows of time of one process, as they go into the profile, and their sums over several processes. Used by the
// processes of a run, and by the reader for those that were killed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "time_windows/time_window_table.hpp"

namespace commprof {

// Which windows the processes of a run have. Sent as raw bytes.
struct WindowSpan {
  std::uint32_t is_known = 0;
  std::uint32_t windows = 0;  // the most
  std::uint32_t shift = 0;
  std::uint32_t clocks = 0;  // a bit for each combination of is_in_ns and is_common in use
  Position begin = 0, end = 0;
  clock::Rate rate{};  // of the first process: all convert ticks by it, so that their windows begin at the same moments

  void merge(WindowSpan const& other);
  // Makes windows so wide that there are not too many. Must be called once all processes are merged.
  void widen();
  std::size_t size() const { return static_cast<std::size_t>((end >> shift) - (begin >> shift) + 1); }
  // Whether all processes have clocks of one kind, so that their windows can stand in one file.
  bool is_of_one_clock() const { return is_known != 0 && (clocks & (clocks - 1)) == 0; }
  std::uint64_t to_ns(Position distance) const { return is_in_ns() ? distance : rate.to_ns({distance}); }
  std::uint64_t width_ns() const { return to_ns(Position{1} << shift); }
  bool is_in_ns() const { return (clocks & (of_ns | of_common_ns)) != 0; }
  bool is_common() const { return (clocks & (of_ticks | of_common_ns)) != 0; }
  static constexpr std::uint32_t of_ticks = 1, of_ns = 2, of_common_ns = 4;
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
  bool add(PageVector<WindowAmounts> const& others);

  PageVector<WindowAmounts> const& all() const { return all_; }

 private:
  WindowSpan span_;
  PageVector<WindowAmounts> all_;
};

// How many neighbouring ranks are added up: a power of two. is_of_sums: only few ranks have rows of their own.
int ranks_of_windows(int ranks, bool is_of_sums);

}  // namespace commprof
