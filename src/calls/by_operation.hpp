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

// Whom a process waits for in an operation.
namespace detail {

struct Waiting {
  bool is_for_messages, is_for_senders, is_for_receivers, is_for_others;
};
inline constexpr auto waiting_of_op = by_operation([](Row const& row) {
  return Waiting{calls::waits_for_messages(row), calls::waits_for_senders(row), calls::waits_for_receivers(row),
                 calls::waits_for_others(row)};
});

struct Members {
  WaitsFor awaited;
  Joint joint;
  bool are_waited_for, are_neighbours, are_aligned, is_of_data;
};
inline constexpr auto members_of_op = by_operation([](Row const& row) {
  return Members{members_awaited(row),          joint_of(row),
                 calls::waits_for_members(row), row.family == Family::neighborhood,
                 aligns_members(row),           calls::is_of_data(row)};
});

}  // namespace detail

constexpr WaitsFor waits_for(Op op) { return detail::members_of_op[static_cast<std::size_t>(op)].awaited; }
constexpr bool is_of_neighbours(Op op) { return detail::members_of_op[static_cast<std::size_t>(op)].are_neighbours; }
constexpr bool aligns_members(Op op) { return detail::members_of_op[static_cast<std::size_t>(op)].are_aligned; }
// Whether it moves data, if there are any.
constexpr bool is_of_data(Op op) { return detail::members_of_op[static_cast<std::size_t>(op)].is_of_data; }
constexpr Joint joint_of(Op op) { return detail::members_of_op[static_cast<std::size_t>(op)].joint; }
constexpr bool waits_for_messages(Op op) { return detail::waiting_of_op[static_cast<std::size_t>(op)].is_for_messages; }
constexpr bool waits_for_senders(Op op) { return detail::waiting_of_op[static_cast<std::size_t>(op)].is_for_senders; }
constexpr bool waits_for_receivers(Op op) {
  return detail::waiting_of_op[static_cast<std::size_t>(op)].is_for_receivers;
}
constexpr bool waits_for_others(Op op) { return detail::waiting_of_op[static_cast<std::size_t>(op)].is_for_others; }

// Whether a process may wait in the call for members of its communicator to enter a collective call: in one that does
// not only issue a request, or in one that completes requests.
constexpr bool waits_for_members(Op op) { return detail::members_of_op[static_cast<std::size_t>(op)].are_waited_for; }

}  // namespace commprof::calls
