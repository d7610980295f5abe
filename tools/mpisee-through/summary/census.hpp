#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "summary/summary.hpp"

namespace mpisee_through {

// The number of communicators of one size that one kind of call created.
struct CensusLine {
  std::uint64_t size;
  std::string created_by;  // empty for MPI_COMM_WORLD and MPI_COMM_SELF
  std::uint64_t communicators = 0;
  std::uint64_t freed = 0;
  Seconds time_s{};  // of the selected operations on them
};

// Counts the selected communicators; ascending by size, then by call. A folded communicator counts as one, since the
// sizes behind it are unknown.
[[nodiscard]] std::vector<CensusLine> take_census(Summary const& summary);

}  // namespace mpisee_through
