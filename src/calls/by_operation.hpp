// Facts of the table of calls by operation.
#pragma once

#include <array>
#include <cstddef>

#include "calls/call_table.hpp"
#include "ops.hpp"

namespace commprof::calls {

// What fact_of says of each operation's row. A call that polls has two operations: the second counts calls that find
// nothing.
template <class FactOf>
constexpr auto by_operation(FactOf fact_of) {
  std::array<decltype(fact_of(rows[0])), static_cast<std::size_t>(Op::count_)> facts{};
  std::size_t op = 0;
  for (Row const& row : rows)
    for (int operations = row.polls ? 2 : 1; operations > 0; --operations) facts[op++] = fact_of(row);
  return facts;
}

namespace detail {

inline constexpr auto row_of_op = by_operation([](Row const& row) { return &row; });

// What the functions of call_table.hpp say of an operation: for whom a process waits in it, and how.
struct Facts {
  bool waits_for_senders, waits_for_receivers, waits_for_others, waits_for_members;
  bool is_of_neighbours, aligns_members, is_of_data;
  WaitsFor awaited;
  Joint joint;
};
inline constexpr auto facts_of_op = by_operation([](Row const& row) {
  return Facts{waits_for_senders(row),
               waits_for_receivers(row),
               waits_for_others(row),
               waits_for_members(row),
               row.family == Family::neighborhood,
               aligns_members(row),
               is_of_data(row),
               members_awaited(row),
               joint_of(row)};
});
constexpr Facts const& facts_of(Op op) { return facts_of_op[static_cast<std::size_t>(op)]; }

}  // namespace detail

// Whether it counts calls that have polled and found nothing: the operation before has the same row.
constexpr bool finds_nothing(Op op) {
  auto const index = static_cast<std::size_t>(op);
  return index > 0 && detail::row_of_op[index] == detail::row_of_op[index - 1];
}

// Whether it counts calls that have completed requests, whose data move in them.
constexpr bool completes_requests(Op op) {
  return detail::row_of_op[static_cast<std::size_t>(op)]->family == completion && !finds_nothing(op);
}

// The functions of call_table.hpp, by operation.
constexpr WaitsFor waits_for(Op op) { return detail::facts_of(op).awaited; }
constexpr Joint joint_of(Op op) { return detail::facts_of(op).joint; }
constexpr bool is_of_neighbours(Op op) { return detail::facts_of(op).is_of_neighbours; }
constexpr bool aligns_members(Op op) { return detail::facts_of(op).aligns_members; }
constexpr bool is_of_data(Op op) { return detail::facts_of(op).is_of_data; }
constexpr bool waits_for_senders(Op op) { return detail::facts_of(op).waits_for_senders; }
constexpr bool waits_for_receivers(Op op) { return detail::facts_of(op).waits_for_receivers; }
constexpr bool waits_for_others(Op op) { return detail::facts_of(op).waits_for_others; }
constexpr bool waits_for_members(Op op) { return detail::facts_of(op).waits_for_members; }

}  // namespace commprof::calls
