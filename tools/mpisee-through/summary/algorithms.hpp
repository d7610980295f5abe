// Names the algorithm of a collective operation by the messages that the MPI sent for it.
//
// Each algorithm has a pattern: who sends to whom, and how many messages a call. The pattern is compared with the
// messages of all calls of an operation on a communicator. Calls with different algorithms match no pattern. Only the
// algorithms that an operation can have are tried: the messages of a recursive doubling may be those of a halving.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "summary/summary.hpp"
#include "summary/traffic.hpp"

namespace mpisee_through {

struct SentMessages {
  std::uint32_t from, to;  // ranks in the communicator
  std::uint64_t messages;

  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> ends() const { return {from, to}; }
};

// The names of all algorithms with this pattern, joined by " or "; on few ranks, some are alike. "A within hosts, B
// between them" if hosts have an algorithm of their own; "unknown" if there are none. operation: as in operations.csv.
// host_of_rank: an index, for each rank of the communicator. calls: of each of its ranks. sent: ascending by from, then
// by to; without messages of a rank to itself.
[[nodiscard]] std::string algorithm_of(std::string_view operation, std::vector<std::uint32_t> const& host_of_rank,
                                       std::uint64_t calls, std::vector<SentMessages> const& sent);

// The calls of a collective operation on a communicator for which the MPI sent messages: those of one size, or all
// together, if that names an algorithm and sizes do not (in v-collectives a call has a size of its own on each rank).
struct AlgorithmSummary {
  CommunicatorIndex communicator;
  OperationIndex operation;
  SizeBin sizes;  // the bounds of the calls' sizes
  Totals totals;
  std::uint64_t calls;  // of each rank; 0 if they differ
  std::string algorithm;
  Amount sent;  // for all calls
};

// Reads the messages of class internal, whichever class is selected. Descending by the time in the operations, then
// ascending by size. summary: with cells by communicator, operation and size. Throws ProfileError and SelectionError.
[[nodiscard]] std::vector<AlgorithmSummary> read_algorithms(Profile const& profile, Selection const& selection,
                                                            Summary const& summary);

}  // namespace mpisee_through
