// The windows of time of killed processes, added up as MPI_Finalize would have done.
#pragma once

#include <cstdint>
#include <map>

#include "profile/profile.hpp"
#include "recovery/spool_file.hpp"

namespace mpisee_through {

// Reads the windows of a process from its spool file. The last window ends at `end`, and has what the records counted
// since the window was opened. Calls that have not ended have time in MPI until `end`.
void take_windows(commprof::OwnTimeWindows& windows, SpoolFile const& file, commprof::Ticks end);

class RecoveredWindows {
 public:
  // Notes which windows a process has. Must be called for all processes before the first add().
  void note(SpoolFile const& file, commprof::Ticks end);
  // Adds the windows of a process, in the order of ranks, and writes the rows of the ranks before it that are added up.
  // Returns their number.
  std::uint64_t add(SpoolFile const& file, commprof::TextWriter& out);
  // Writes the last rows.
  std::uint64_t finish(commprof::TextWriter& out);

  [[nodiscard]] commprof::WindowSpan const& span() const { return span_; }

 private:
  std::map<std::int32_t, commprof::Ticks> ends_;  // by rank
  commprof::WindowSpan span_;
  commprof::SummedWindows sums_;
  int group_ = 0;   // how many ranks are added up; 0: add() was not called yet
  int first_ = -1;  // the first rank of those that are added up now
  int last_ = 0;
};

}  // namespace mpisee_through
