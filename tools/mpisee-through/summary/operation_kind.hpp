#pragma once

#include <array>
#include <optional>
#include <string_view>

namespace mpisee_through {

// The kind of an operation, by the table of calls.
enum class OperationKind { p2p, collective, completion, communicator, one_sided, file, other };
inline constexpr std::array<OperationKind, 7> operation_kinds{
    OperationKind::p2p,       OperationKind::collective, OperationKind::completion, OperationKind::communicator,
    OperationKind::one_sided, OperationKind::file,       OperationKind::other};

[[nodiscard]] std::string_view name_of(OperationKind kind);
[[nodiscard]] std::optional<OperationKind> parse_operation_kind(std::string_view name);

// operation: as in operations.csv. A polling call that found nothing (Test-none) has the kind of the call (Test).
[[nodiscard]] OperationKind kind_of(std::string_view operation);

// Whether it is a polling call that found or completed nothing: Test-none.
[[nodiscard]] bool found_nothing(std::string_view operation);

// Whether a process may wait in it for a message of another one: receives, probes, the Wait family.
[[nodiscard]] bool waits_for_messages(std::string_view operation);

// Whether it sends a message: Send, Isend, Sendrecv …
[[nodiscard]] bool sends_messages(std::string_view operation);

}  // namespace mpisee_through
