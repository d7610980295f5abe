#pragma once

#include <string_view>

#include "calls/call_table.hpp"
#include "files/names.hpp"

namespace mpisee_through {

// The kind of an operation, by the table of calls.
enum class OperationKind { p2p, collective, completion, communicator, one_sided, file, other };
inline constexpr Names<OperationKind, 7> operation_kinds{{{{OperationKind::p2p, "p2p"},
                                                           {OperationKind::collective, "collective"},
                                                           {OperationKind::completion, "completion"},
                                                           {OperationKind::communicator, "communicator"},
                                                           {OperationKind::one_sided, "one-sided"},
                                                           {OperationKind::file, "file"},
                                                           {OperationKind::other, "other"}}}};
[[nodiscard]] constexpr std::string_view name_of(OperationKind kind) { return operation_kinds.of(kind); }

// The row of an operation in the table of calls; null for one that the table does not have. That of Test-none is
// Test's.
[[nodiscard]] commprof::calls::Row const* row_of_operation(std::string_view operation);

// operation: as in operations.csv. A polling call that found nothing (Test-none) has the kind of the call (Test).
[[nodiscard]] OperationKind kind_of(std::string_view operation);

// Whether it is a polling call that found or completed nothing: Test-none.
[[nodiscard]] bool found_nothing(std::string_view operation);

// Whether a process may wait in it for a message of another one: receives, probes, the Wait family.
[[nodiscard]] bool waits_for_messages(std::string_view operation);

// Whether it sends a message: Send, Isend, Sendrecv …
[[nodiscard]] bool sends_messages(std::string_view operation);

// Whether no rank can leave it before all ranks of the communicator have entered: Barrier, Allreduce … The rank that
// comes last has the least time in it, and the others wait for that rank.
[[nodiscard]] bool synchronises_all(std::string_view operation);

// What a rank's time in an operation, summed over its calls, says of the rank. To follow its name: "rank 3 waits
// longest".
struct TimeWords {
  std::string_view most;   // of the rank with the most time
  std::string_view least;  // of the rank with the least; empty if little time has no meaning

  bool operator==(TimeWords const&) const = default;
};
[[nodiscard]] TimeWords time_words(std::string_view operation);

}  // namespace mpisee_through
