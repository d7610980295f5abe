#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/shown_communicators.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

// The bytes and messages from rank to rank, by communicator and class. If there are too many pairs, neighbouring ranks
// share a bin.
struct PairSums {
  struct Pair {
    std::uint64_t communicator;  // index of a shown communicator
    TrafficClass traffic_class;
    std::uint64_t from;  // bins; other_world_bin() for another world
    std::uint64_t to;
    Amount amount;
  };

  std::uint64_t ranks_per_bin = 1;
  std::uint64_t bins = 0;   // along each side
  std::vector<Pair> pairs;  // sorted by communicator, class, from, to
  Amount total;
  std::string part{};  // a sentence, if calls send much more bytes than these messages

  [[nodiscard]] std::uint64_t other_world_bin() const { return bins; }
};

// Reads peers.csv. Throws ProfileError, also if the profile lacks it.
PairSums add_up_pairs(Profile const& profile, Selection const& selection, ShownCommunicators const& communicators);

}  // namespace mpisee_through
