// Finds which processes a process waits for in an operation, from the table of calls.
#pragma once

#include <cstddef>

#include "calls/by_operation.hpp"

namespace commprof::waits {

using calls::WaitsFor;

namespace detail {

struct Waiting {
  WaitsFor whom;
  bool is_for_messages, is_for_senders, is_for_receivers, is_for_others;
};
inline constexpr auto of_op = calls::by_operation([](calls::Row const& row) {
  return Waiting{row.waits_for, calls::waits_for_messages(row), calls::waits_for_senders(row),
                 calls::waits_for_receivers(row), calls::waits_for_others(row)};
});

}  // namespace detail

constexpr WaitsFor waits_for(Op op) { return detail::of_op[static_cast<std::size_t>(op)].whom; }
constexpr bool waits_for_messages(Op op) { return detail::of_op[static_cast<std::size_t>(op)].is_for_messages; }
constexpr bool waits_for_senders(Op op) { return detail::of_op[static_cast<std::size_t>(op)].is_for_senders; }
constexpr bool waits_for_receivers(Op op) { return detail::of_op[static_cast<std::size_t>(op)].is_for_receivers; }
constexpr bool waits_for_others(Op op) { return detail::of_op[static_cast<std::size_t>(op)].is_for_others; }

}  // namespace commprof::waits
