#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "calls/families.hpp"
#include "files/names.hpp"

namespace mpisee_through {

using commprof::OperationKind;
inline constexpr Names<OperationKind, 8> operation_kinds{{{{OperationKind::p2p, "p2p"},
                                                           {OperationKind::collective, "collective"},
                                                           {OperationKind::completion, "completion"},
                                                           {OperationKind::communicator, "communicator"},
                                                           {OperationKind::one_sided, "one-sided"},
                                                           {OperationKind::file, "file"},
                                                           {OperationKind::other, "other"},
                                                           {OperationKind::unfinished, "unfinished"}}}};
[[nodiscard]] constexpr std::string_view name_of(OperationKind kind) { return operation_kinds.of(kind); }

// The row of an operation in the table of calls; null if the table lacks it. Test-none has the row of Test;
// Recv-unfinished has none, so that nothing is concluded from it as from calls that ended.
[[nodiscard]] commprof::calls::Row const* row_of_operation(std::string_view operation);

// operation: as in operations.csv. A polling call that found nothing (Test-none) has the kind of the call (Test); calls
// that did not end (Recv-unfinished) are a kind of their own.
[[nodiscard]] OperationKind kind_of(std::string_view operation);

// Whether the fact holds for the operation's row in the table of calls.
[[nodiscard]] bool holds(std::string_view operation, bool (*fact)(commprof::calls::Row const&));

[[nodiscard]] bool is_barrier(std::string_view operation);

// Whether the operation has this family and kind in the table of calls.
[[nodiscard]] bool is_a(std::string_view operation, commprof::calls::Family family, commprof::calls::Kind kind);

// Whether the name stands for polling calls without success: Test-none.
[[nodiscard]] bool found_nothing(std::string_view operation);

// Whether a process may wait in the operation for another's message: receives, probes, the Wait family.
[[nodiscard]] bool waits_for_messages(std::string_view operation);

// Whether a call for messages or a collective one only begins its work, which another call completes: Isend,
// Iallreduce.
[[nodiscard]] bool only_begins(std::string_view operation);

// The blocking call that does what a collective operation does: Allreduce for Iallreduce and Allreduce_init.
[[nodiscard]] std::string blocking_form(std::string_view operation);

// Whether the operation sends a message: Send, Isend, Sendrecv …
[[nodiscard]] bool sends_messages(std::string_view operation);
// Whether it prepares sends, or collectives, which Start begins: Send_init; Allreduce_init.
[[nodiscard]] bool prepares_sends(std::string_view operation);
[[nodiscard]] bool prepares_collectives(std::string_view operation);

// Whether no rank can leave the operation before all ranks of the communicator have entered: Barrier, Allreduce … The
// rank that comes last spends the least time in it; the others wait for that rank.
[[nodiscard]] bool synchronises_all(std::string_view operation);

// What a rank's total time in an operation means, as words to follow the rank's name: "rank 3 waits longest".
struct TimeWords {
  std::string_view most;   // of the rank with the most time
  std::string_view least;  // for the rank with the least time; empty if little time has no meaning
};
[[nodiscard]] TimeWords time_words(std::string_view operation);

// The direction of a collective operation's data, in the classes of Open MPI's monitoring component.
enum class Direction { one_to_all, all_to_one, all_to_all };
inline constexpr Names<Direction, 3> directions{{{{Direction::one_to_all, "one-to-all"},
                                                  {Direction::all_to_one, "all-to-one"},
                                                  {Direction::all_to_all, "all-to-all"}}}};
[[nodiscard]] constexpr std::string_view name_of(Direction direction) { return directions.of(direction); }

// Nonblocking and persistent operations belong to the class of the blocking one: Ibcast and Bcast_init to that of
// Bcast. Nothing for an operation that is not collective.
[[nodiscard]] std::optional<Direction> direction_of(std::string_view operation);

}  // namespace mpisee_through
