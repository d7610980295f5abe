// Whether ranks got the processors that they needed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "summary/summary.hpp"

namespace mpisee_through {

// The part of its wall time during which a rank could run and waited for a processor, 0 to 1. Where the system has not
// counted it, the part without a processor if the ranks of its host outnumber the processors that they may use;
// otherwise 0.
[[nodiscard]] double queued_share(Summary const& summary, std::uint32_t rank);

// The ranks that compute most, on which the length of the run depends. A rank that waits for a processor within MPI may
// wait for others all the same.
struct BusiestRanks {
  std::vector<std::uint32_t> ranks;  // ascending
  double queued = 0;                 // their mean queued_share()
  double got = 0;                    // their processor time, of their wall time; above 1 with several threads
};
[[nodiscard]] BusiestRanks busiest_ranks(Summary const& summary);

}  // namespace mpisee_through
