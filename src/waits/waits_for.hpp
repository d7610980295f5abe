// Finds which processes a process waits for in an operation, from the table of calls.
#pragma once

#include <array>
#include <cstddef>

#include "calls/call_table.hpp"
#include "ops.hpp"

namespace commprof::waits {

using calls::WaitsFor;

namespace detail {

struct Waiting {
  WaitsFor whom;
  bool is_for_messages;
};

constexpr auto list() {
  std::array<Waiting, static_cast<std::size_t>(Op::count_)> all{};
  std::size_t op = 0;
  for (calls::Row const& row : calls::rows) {
    all[op] = {row.waits_for, calls::waits_for_messages(row)};
    op += row.polls ? 2 : 1;  // the second operation has the calls that find nothing
  }
  return all;
}
inline constexpr auto of_op = list();

}  // namespace detail

constexpr WaitsFor waits_for(Op op) { return detail::of_op[static_cast<std::size_t>(op)].whom; }
constexpr bool waits_for_messages(Op op) { return detail::of_op[static_cast<std::size_t>(op)].is_for_messages; }

}  // namespace commprof::waits
