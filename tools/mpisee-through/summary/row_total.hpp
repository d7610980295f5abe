#pragma once

#include <cstdint>
#include <string_view>

#include "reader/rows.hpp"

namespace mpisee_through {

// The sum of all numbers of a table that are added up. If it can be counted, so can the sums of some rows.
struct RowTotal {
  std::uint64_t count = 0, bytes = 0;
  Seconds time_s{};

  // False on overflow.
  [[nodiscard]] bool add(RowTotal const& other) {
    time_s += other.time_s;
    return !__builtin_add_overflow(count, other.count, &count) && !__builtin_add_overflow(bytes, other.bytes, &bytes) &&
           time_s.is_countable();
  }
};

[[nodiscard]] inline RowTotal total_of(OperationRow const& row) {
  std::uint64_t bytes = 0;
  bool const overflows = __builtin_add_overflow(row.bytes_sent, row.bytes_received, &bytes);
  return {row.calls, overflows ? UINT64_MAX : bytes, row.time_s};
}
[[nodiscard]] inline RowTotal total_of(PeerRow const& row) { return {row.messages, row.bytes}; }
[[nodiscard]] inline RowTotal total_of(HostPairRow const& row) { return {row.messages, row.bytes}; }
[[nodiscard]] inline RowTotal total_of(RegionRow const& row) { return {row.entered, 0, row.wall_s + row.mpi_s}; }
[[nodiscard]] inline RowTotal total_of(WaitRow const& row) { return {row.calls, 0, row.time_s + row.wait_s}; }
[[nodiscard]] inline RowTotal total_of(RankWaitRow const& row) {
  return {row.instants.value_or(0), 0, row.time_s + row.wait_s};
}
[[nodiscard]] inline RowTotal total_of(PairWaitRow const& row) { return {0, 0, row.wait_s}; }
[[nodiscard]] inline RowTotal total_of(CauseRow const& row) { return {0, 0, row.caused_s}; }

}  // namespace mpisee_through
