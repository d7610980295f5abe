// What a job has done over time so far, from the windows in the spool files of its processes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/clock.hpp"
#include "time_windows/time_windows.hpp"

namespace mpisee_through {

class SpoolFile;

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
  // end: the present if the process runs, else its last known moment.
  void take(SpoolFile const& file, commprof::Ticks end);
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

}  // namespace mpisee_through
