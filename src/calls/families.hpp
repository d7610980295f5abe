// The families of calls: their titles for readers, the kinds into which they fall, and the kinds of waiting in them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "calls/call_table.hpp"

namespace commprof {

// The kinds of operations that the reader sums up and selects. unfinished: calls of any kind that did not end.
enum class OperationKind { p2p, collective, completion, communicator, one_sided, file, other, unfinished };

// The kinds of calls that windows of time tell apart.
enum class CallKind : std::uint8_t { point_to_point, collective, completion, one_sided, files, other, count_ };
inline constexpr std::size_t call_kinds = static_cast<std::size_t>(CallKind::count_);
inline constexpr std::array<std::string_view, call_kinds> call_kind_names{"point-to-point", "collective", "completion",
                                                                          "one-sided",      "files",      "other"};

// What calls wait for: the last rank to enter a collective operation; a message that is not sent; a receive that is not
// posted; for a message of which both are there, a process that is outside MPI, so that the message makes no progress.
// pending: not calls, but the time from the begin to the completion of the requests that they issue. The part of it
// that is waiting is spent in MPI calls.
enum class WaitKind : std::uint8_t { collective, late_sender, late_receiver, no_progress, pending };
inline constexpr std::array<std::string_view, 5> wait_kind_names{"collective", "late-sender", "late-receiver",
                                                                 "no-progress", "pending"};
constexpr std::string_view name_of(WaitKind kind) { return wait_kind_names[static_cast<std::size_t>(kind)]; }

namespace calls {

struct FamilyFacts {
  std::string_view title;
  OperationKind kind;
  CallKind window_kind;
};

// In the order of Family.
inline constexpr std::array<FamilyFacts, environment + 1> families{{
    {"Point-to-point", OperationKind::p2p, CallKind::point_to_point},
    {"Collectives", OperationKind::collective, CallKind::collective},
    {"Neighbourhood collectives", OperationKind::collective, CallKind::collective},
    {"Completion of requests", OperationKind::completion, CallKind::completion},
    {"Communicators", OperationKind::communicator, CallKind::other},
    {"One-sided", OperationKind::one_sided, CallKind::one_sided},
    {"Files", OperationKind::file, CallKind::files},
    {"Environment", OperationKind::other, CallKind::other},
}};

}  // namespace calls
}  // namespace commprof
