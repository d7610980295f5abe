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

}  // namespace commprof::calls
