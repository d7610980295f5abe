#pragma once

#include <limits>
#include <optional>
#include <string_view>

#include "summary/summary.hpp"

namespace mpisee_through {

// Seconds, bounds included.
struct TimeRange {
  double min_s = 0;
  double max_s = std::numeric_limits<double>::infinity();

  // 10ms-1s, 2-, 0-100us; without a unit, seconds. Nothing for what is no range.
  [[nodiscard]] static std::optional<TimeRange> parse(std::string_view text);

  [[nodiscard]] bool holds(double seconds) const { return min_s <= seconds && seconds <= max_s; }
};

// Drops the operations whose slowest rank spends a time out of the range. Sums of communicators stay what they are.
void keep_operations(Summary& summary, TimeRange const& range);

}  // namespace mpisee_through
