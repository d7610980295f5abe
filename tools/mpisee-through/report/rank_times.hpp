#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "report/shown_communicators.hpp"

namespace mpisee_through {

// How long each rank was in MPI, in which operations and on which communicators. Of many ranks, neighbours share a bin.
struct BinnedTimes {
  // Sums over the selected ranks of a bin, of which there may be none, but for what is said of one of them.
  struct Bin {
    std::uint64_t ranks = 0;
    double wall_s = 0;
    double mpi_s = 0;
    double mpi_min_s = 0;  // of the rank that was in MPI least
    double mpi_max_s = 0;
    // The wall time is what passes outside MPI, what is waited in MPI, and the rest.
    double outside_s = 0;
    double waiting_s = 0;
    std::uint64_t max_rank = 0;  // that was in MPI longest
    std::size_t host = 0;        // of the first rank
    bool several_hosts = false;
  };
  struct Part {
    std::uint64_t bin;
    std::uint64_t of;  // index of the operation, or place of the communicator
    double time_s;
  };

  std::uint64_t ranks_per_bin = 1;
  bool knows_waiting = false;
  std::vector<Bin> bins;
  std::vector<std::string> hosts;
  std::vector<Part> by_operation;  // ascending by bin, then by what it is of
  std::vector<Part> by_communicator;
};

// Reads ranks.csv and operations.csv. summary: of all operations that are selected. The parts are of what is selected,
// the time in MPI of all that the rank did.
// waited_s: how long each rank waited in MPI, by rank; empty where that is not known.
BinnedTimes add_up_rank_times(Profile const& profile, Selection const& selection, Summary const& summary,
                              ShownCommunicators& communicators, std::span<double const> waited_s = {});

}  // namespace mpisee_through
