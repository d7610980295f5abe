#pragma once

#include <cstdint>
#include <vector>

#include "report/shown_communicators.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

// Who sends how much to whom, on which communicator and in which class. Where there are too many pairs, neighbouring
// ranks share a bin.
struct PairSums {
  struct Pair {
    std::uint64_t communicator;  // its place
    TrafficClass traffic_class;
    std::uint64_t from;  // bins; other_world_bin() for another world
    std::uint64_t to;
    Amount amount;
  };

  std::uint64_t ranks_per_bin = 1;
  std::uint64_t bins = 0;   // on a side
  std::vector<Pair> pairs;  // ascending by communicator, class, from, to

  [[nodiscard]] std::uint64_t other_world_bin() const { return bins; }
};

// Reads peers.csv. Throws ProfileError, also for a profile without it.
PairSums add_up_pairs(Profile const& profile, Selection const& selection, ShownCommunicators& communicators);

}  // namespace mpisee_through
