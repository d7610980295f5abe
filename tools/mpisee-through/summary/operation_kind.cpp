#include "summary/operation_kind.hpp"

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "calls/rules.hpp"
#include "profile/schema.hpp"

namespace mpisee_through {
namespace calls = commprof::calls;

calls::Row const* row_of_operation(std::string_view operation) {
  static auto const rows = [] {
    std::unordered_map<std::string_view, calls::Row const*> by_name;
    for (calls::Row const& row : calls::rows) by_name.emplace(row.name, &row);
    return by_name;
  }();
  if (found_nothing(operation)) operation.remove_suffix(commprof::schema::found_nothing_suffix.size());
  auto const found = rows.find(operation);
  return found == rows.end() ? nullptr : found->second;
}

OperationKind kind_of(std::string_view operation) {
  if (operation.ends_with(commprof::schema::unfinished_suffix)) return OperationKind::unfinished;
  calls::Row const* const row = row_of_operation(operation);
  return row == nullptr ? OperationKind::other : calls::families[row->family].kind;
}

bool holds(std::string_view operation, bool (*fact)(calls::Row const&)) {
  calls::Row const* const row = row_of_operation(operation);
  return row != nullptr && fact(*row);
}

bool is_a(std::string_view operation, calls::Family family, calls::Kind kind) {
  calls::Row const* const row = row_of_operation(operation);
  return row != nullptr && row->family == family && row->kind == kind;
}

bool found_nothing(std::string_view operation) { return operation.ends_with(commprof::schema::found_nothing_suffix); }

bool waits_for_messages(std::string_view operation) {
  return holds(operation, [](calls::Row const& row) { return !row.polls && calls::waits_for_messages(row); });
}

bool is_barrier(std::string_view operation) {
  return holds(operation,
               [](calls::Row const& row) { return row.family == calls::Family::collective && row.rule == "none()"; });
}

bool only_begins(std::string_view operation) {
  return holds(operation, [](calls::Row const& row) {
    bool const is_of_messages = row.family == calls::Family::point_to_point || is_collective(row);
    return is_of_messages && (has_parameter(row, "request") || row.kind == calls::Kind::start);
  });
}

std::string blocking_form(std::string_view operation) {
  constexpr std::string_view persistent = "_init";
  if (operation.ends_with(persistent)) operation.remove_suffix(persistent.size());
  bool const is_nonblocking = operation.starts_with('I');
  std::string form(operation.substr(is_nonblocking ? 1 : 0));
  if (is_nonblocking && !form.empty()) form.front() = static_cast<char>(std::toupper(form.front()));
  return form;
}

bool sends_messages(std::string_view operation) {
  return holds(operation, [](calls::Row const& row) { return sends(row) && row.kind != calls::Kind::persistent; });
}

bool prepares_sends(std::string_view operation) {
  return holds(operation, [](calls::Row const& row) { return sends(row) && row.kind == calls::Kind::persistent; });
}

bool prepares_collectives(std::string_view operation) {
  return holds(operation,
               [](calls::Row const& row) { return is_collective(row) && row.kind == calls::Kind::persistent; });
}

bool synchronises_all(std::string_view operation) {
  return holds(operation, [](calls::Row const& row) {
    return row.waits_for == calls::WaitsFor::all && !has_parameter(row, "request");
  });
}

TimeWords time_words(std::string_view operation) {
  if (synchronises_all(operation)) return {"waits longest", "comes last"};
  if (waits_for_messages(operation)) return {"waits longest for messages", ""};
  if (sends_messages(operation)) return {"takes longest to send", ""};
  return {"spends most time", ""};
}

namespace {

Direction direction(commprof::calls::Row const& row) {
  using commprof::calls::Flow;
  switch (rule_of(row).flow) {
    case Flow::from_byteless:
    case Flow::from_root:
      return Direction::one_to_all;
    case Flow::to_root:
      return Direction::all_to_one;
    default:
      return Direction::all_to_all;
  }
}

}  // namespace

std::optional<Direction> direction_of(std::string_view operation) {
  commprof::calls::Row const* const row = row_of_operation(operation);
  return row != nullptr && is_collective(*row) ? std::optional(direction(*row)) : std::nullopt;
}

}  // namespace mpisee_through
