#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/shown_communicators.hpp"
#include "summary/waits.hpp"

namespace mpisee_through {

// The time of each rank in MPI, by operation and by communicator. If there are many ranks, neighbours share a bin.
struct BinnedTimes {
  // Sums over the selected ranks of a bin, except for the values of a single rank. A bin may have no ranks.
  struct Bin {
    std::uint64_t ranks = 0;
    double wall_s = 0;
    double mpi_s = 0;
    double mpi_min_s = 0;  // of the rank with the least time in MPI
    double mpi_max_s = 0;
    // The wall time is the sum of the time outside MPI, of waiting and moving data in MPI, and of the rest.
    double outside_s = 0;
    double waiting_s = 0;
    double moving_s = 0;
    std::uint64_t max_rank = 0;  // the rank with the most time in MPI
    std::size_t host = 0;        // of the bin's first rank
    bool several_hosts = false;
  };
  struct Part {
    std::uint64_t bin;
    std::uint64_t of;  // index of the operation, or of the shown communicator
    double time_s;
  };

  std::uint64_t ranks_per_bin = 1;
  bool knows_waiting = false, knows_moving = false;
  std::vector<Bin> bins;
  std::vector<std::string> hosts;
  std::vector<Part> by_operation;  // sorted by bin, then by `of`
  std::vector<Part> by_communicator;
};

// Reads ranks.csv and operations.csv. summary: of all selected operations. The parts cover the selection; the time in
// MPI covers all calls of the ranks. waits: of these ranks; empty if unknown.
BinnedTimes add_up_rank_times(Profile const& profile, Selection const& selection, Summary const& summary,
                              ShownCommunicators const& communicators, Waits const& waits = {});

}  // namespace mpisee_through
