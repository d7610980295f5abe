// What an operation is, by its row in the table of calls. operation: as in operations.csv.
#pragma once

#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "calls/families.hpp"
#include "calls/rules.hpp"
#include "files/names.hpp"
#include "profile/schema.hpp"

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

// Whether the name stands for polling calls without success: Test-none.
[[nodiscard]] inline bool found_nothing(std::string_view operation) {
  return operation.ends_with(commprof::schema::found_nothing_suffix);
}

// Null if the table lacks it. Test-none has the row of Test; Recv-unfinished has none, so that nothing is concluded
// from it as from calls that ended.
[[nodiscard]] inline commprof::calls::Row const* row_of_operation(std::string_view operation) {
  static auto const rows = [] {
    std::unordered_map<std::string_view, commprof::calls::Row const*> by_name;
    for (commprof::calls::Row const& row : commprof::calls::rows) by_name.emplace(row.name, &row);
    return by_name;
  }();
  if (found_nothing(operation)) operation.remove_suffix(commprof::schema::found_nothing_suffix.size());
  auto const found = rows.find(operation);
  return found == rows.end() ? nullptr : found->second;
}

// Whether the fact holds for the operation's row.
[[nodiscard]] inline bool holds(std::string_view operation, bool (*fact)(commprof::calls::Row const&)) {
  commprof::calls::Row const* const row = row_of_operation(operation);
  return row != nullptr && fact(*row);
}

// A polling call that found nothing (Test-none) has the kind of the call (Test); calls that did not end
// (Recv-unfinished) are a kind of their own.
[[nodiscard]] inline OperationKind kind_of(std::string_view operation) {
  if (operation.ends_with(commprof::schema::unfinished_suffix)) return OperationKind::unfinished;
  commprof::calls::Row const* const row = row_of_operation(operation);
  return row == nullptr ? OperationKind::other : commprof::calls::families[row->family].kind;
}

[[nodiscard]] inline bool is_barrier(std::string_view operation) {
  return holds(operation, [](commprof::calls::Row const& row) {
    return row.family == commprof::calls::Family::collective && row.rule == "none()";
  });
}

// Whether the operation has this family and kind.
[[nodiscard]] inline bool is_a(std::string_view operation, commprof::calls::Family family, commprof::calls::Kind kind) {
  commprof::calls::Row const* const row = row_of_operation(operation);
  return row != nullptr && row->family == family && row->kind == kind;
}

// Whether a call for messages or a collective one only begins its work, which another call completes: Isend,
// Iallreduce.
[[nodiscard]] inline bool only_begins(std::string_view operation) {
  return holds(operation, [](commprof::calls::Row const& row) {
    bool const is_of_messages = row.family == commprof::calls::Family::point_to_point || is_collective(row);
    return is_of_messages && (has_parameter(row, "request") || row.kind == commprof::calls::Kind::start);
  });
}

// The blocking call that does what a collective operation does: Allreduce for Iallreduce and Allreduce_init.
[[nodiscard]] inline std::string blocking_form(std::string_view operation) {
  constexpr std::string_view persistent = "_init";
  if (operation.ends_with(persistent)) operation.remove_suffix(persistent.size());
  if (!operation.starts_with('I')) return std::string(operation);
  std::string form(operation.substr(1));
  if (!form.empty()) form.front() = static_cast<char>(std::toupper(form.front()));
  return form;
}

// Whether the operation sends a message: Send, Isend, Sendrecv …
[[nodiscard]] inline bool sends_messages(std::string_view operation) {
  return holds(operation, [](commprof::calls::Row const& row) {
    return sends(row) && row.kind != commprof::calls::Kind::persistent;
  });
}
// Whether it prepares sends, or collectives, which Start begins: Send_init; Allreduce_init.
[[nodiscard]] inline bool prepares_sends(std::string_view operation) {
  return holds(operation, [](commprof::calls::Row const& row) {
    return sends(row) && row.kind == commprof::calls::Kind::persistent;
  });
}
[[nodiscard]] inline bool prepares_collectives(std::string_view operation) {
  return holds(operation, [](commprof::calls::Row const& row) {
    return is_collective(row) && row.kind == commprof::calls::Kind::persistent;
  });
}

// The direction of a collective operation's data, in the classes of Open MPI's monitoring component.
enum class Direction { one_to_all, all_to_one, all_to_all };
inline constexpr Names<Direction, 3> directions{{{{Direction::one_to_all, "one-to-all"},
                                                  {Direction::all_to_one, "all-to-one"},
                                                  {Direction::all_to_all, "all-to-all"}}}};
[[nodiscard]] constexpr std::string_view name_of(Direction direction) { return directions.of(direction); }

// Which way a collective operation's data goes; nonblocking and persistent operations have that of the blocking one.
// Nothing for an operation that is not collective.
[[nodiscard]] inline std::optional<commprof::calls::Flow> flow_of(std::string_view operation) {
  commprof::calls::Row const* const row = row_of_operation(operation);
  return row != nullptr && is_collective(*row) ? std::optional(rule_of(*row).flow) : std::nullopt;
}
[[nodiscard]] inline std::optional<Direction> direction_of(std::string_view operation) {
  using commprof::calls::Flow;
  auto const flow = flow_of(operation);
  if (!flow) return std::nullopt;
  bool const is_to_all = flow == Flow::from_byteless || flow == Flow::from_root;
  return is_to_all ? Direction::one_to_all : flow == Flow::to_root ? Direction::all_to_one : Direction::all_to_all;
}

}  // namespace mpisee_through
