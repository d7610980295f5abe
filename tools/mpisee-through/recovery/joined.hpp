// Joins what the spool files of processes have, as MPI_Finalize would have done: windows of time, of killed processes
// and of a job so far, and how long processes waited for each other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "message_waits/own_message_waits.hpp"
#include "profile/profile.hpp"
#include "recovery/spool_file.hpp"

namespace mpisee_through {

// Reads the windows of a process from its spool file. The last window ends at `end`, and has what the records counted
// since the window was opened. Calls that have not ended have time in MPI until `end`.
void take_windows(commprof::OwnTimeWindows& windows, SpoolFile const& file, commprof::Ticks end);

class RecoveredWindows {
 public:
  // Notes which windows a process has. Must be called for all processes before the first add().
  void note(commprof::OwnTimeWindows const& own, std::int32_t rank, commprof::Ticks end);
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

// All processes in one window of time.
struct JobWindow {
  double begin_s = 0, end_s = 0;
  double mpi_s = 0, threads_s = 0;  // in MPI, and the time of all threads that call MPI
  std::uint64_t calls = 0;          // that ended

  [[nodiscard]] double mpi_share() const { return threads_s > 0 ? std::min(mpi_s / threads_s, 1.0) : 0; }
  [[nodiscard]] double calls_per_s() const {
    return end_s > begin_s ? static_cast<double>(calls) / (end_s - begin_s) : 0;
  }
  // Adds one that follows.
  JobWindow& operator+=(JobWindow const& next);
};

class JobWindows {
 public:
  void take(commprof::OwnTimeWindows const& own, SpoolFile const& file);
  // Empty if there are no windows, or if the clocks of hosts cannot be compared.
  [[nodiscard]] std::vector<JobWindow> added_up() const;

 private:
  struct Process {
    commprof::WindowSpan span;
    std::uint64_t first;  // number of the first window
    std::vector<commprof::WindowAmount> windows;
    std::uint64_t threads;
  };

  std::vector<Process> processes_;
};

// The waiting for messages in an operation on a communicator, as in waits.csv, over all call sites.
struct MessageWaitSum {
  std::string communicator, operation;
  commprof::WaitKind kind{};
  std::uint64_t instants = 0;
  double time_s = 0, wait_s = 0, error_s = 0, unknown_share = 0;
  std::optional<std::int32_t> caused_by{};
  double caused_share = 0;
};

// A process whose file is missing answers nothing, so it is not known how long others waited for it.
class RecoveredMessageWaits {
 public:
  // Takes the waits of a process out of its file, in any order of processes. Needs as much memory as they do.
  void take(SpoolFile& file);
  // Must be called after the last take().
  void join();
  // Rows of all processes, one for each communicator, operation and kind, without those of pending requests; the
  // longest waiting first. Names of communicators as the caller knows them. Must be called after join().
  [[nodiscard]] std::vector<MessageWaitSum> sums(std::span<std::string const> communicators) const;
  // The waits of a rank; without rows if they are not known.
  [[nodiscard]] commprof::OwnMessageWaits const& of(std::int32_t rank) const;

 private:
  struct Process {
    std::unique_ptr<commprof::MessageWaits> waits;
    commprof::OwnMessageWaits own;
  };

  template <class Joined>
  void merge(Joined& all, Joined& (commprof::OwnMessageWaits::*own)()) const;
  void share_meetings();
  void ask(Process& process) const;
  void follow_chains();
  void blame();
  void merge_rows();

  std::map<std::int32_t, std::unique_ptr<Process>> processes_;
};

}  // namespace mpisee_through
