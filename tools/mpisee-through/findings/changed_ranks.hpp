// Finds ranks that compute longer between their calls in a part of the run, while the others do not.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "findings/change_point.hpp"

namespace mpisee_through {

// What a rank, or several that are added up, did in each window.
struct WorkOverTime {
  std::vector<double> calls{}, useful_s{};
};

struct ChangedRanks {
  ChangedPart part;
  bool is_within;                  // slower within the part than outside
  std::vector<std::size_t> ranks;  // ascending
  std::vector<double> longer;      // of each: the time between calls, divided by that in the faster part
  std::vector<double> more_s;      // of each: the additional time in the slower part
};

// Finds nothing unless find_change() finds a part for the logarithm of a rank's time between calls, and no other rank
// changes there by half as much. So one rank of many is found, and chance has to single out one of them: the more ranks
// there are, the more of them change by chance. What the ranks have in common, such as phases, is subtracted. All have
// the same windows, each length_s long.
[[nodiscard]] std::optional<ChangedRanks> find_changed_ranks(std::span<WorkOverTime const> all, double length_s);

}  // namespace mpisee_through
