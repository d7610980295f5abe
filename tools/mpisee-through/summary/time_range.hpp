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

  // Parses 10ms-1s, 2-, 0-100us; numbers without a unit are seconds. Nothing if the text is not a range.
  [[nodiscard]] static std::optional<TimeRange> parse(std::string_view text);

  [[nodiscard]] bool holds(double seconds) const { return min_s <= seconds && seconds <= max_s; }
};

// Drops operations in which the slowest rank's time is outside the range. The sums of communicators do not change.
void keep_operations(Summary& summary, TimeRange const& range);

}  // namespace mpisee_through
