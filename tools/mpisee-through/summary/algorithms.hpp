// Names the algorithm of a collective operation by the messages that the MPI sent for it.
//
// Each algorithm has a pattern: who sends to whom, and how many messages a call. The pattern is compared with the
// messages of all calls of an operation on a communicator. Calls with different algorithms match no pattern.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "summary/summary.hpp"

namespace mpisee_through {

// Ranks are those in the communicator.
struct SentMessages {
  std::uint32_t from;
  std::uint32_t to;
  std::uint64_t messages;

  bool operator==(SentMessages const&) const = default;
};

// The names of all algorithms with this pattern, joined by " or "; on few ranks, some are alike. "unknown" if there are
// none. size: of the communicator. calls: of each of its ranks. sent: ascending by from, then by to; without messages
// of a rank to itself.
[[nodiscard]] std::string algorithm_of(std::uint32_t size, std::uint64_t calls, std::vector<SentMessages> const& sent);

// Larger communicators have no names: a pattern of each pair of ranks would be too large.
inline constexpr std::uint32_t most_ranks_of_algorithm = 1024;

// A collective operation on a communicator for which the MPI sent messages.
struct AlgorithmSummary {
  CommunicatorIndex communicator;
  OperationSummary const* operation;
  std::uint64_t calls;  // of each rank; 0 if they differ
  std::string algorithm;
  std::uint64_t messages;  // of all calls
  std::uint64_t bytes;
};

// Reads the messages of class internal, whichever class is selected. Descending by the time in the operations.
// summary: of Detail::operations; it must outlive the result. Throws ProfileError and SelectionError.
[[nodiscard]] std::vector<AlgorithmSummary> read_algorithms(Profile const& profile, Selection const& selection,
                                                            Summary const& summary);

}  // namespace mpisee_through
