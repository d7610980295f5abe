// Finds the moment from which on values over time have another level.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace mpisee_through {

struct ChangePoint {
  std::size_t first;     // the first value with the new level
  double before, after;  // means
};

// Nothing unless one step explains nearly all differences between means of blocks, a sixteenth of the time each: noise
// that is correlated over several windows, or phases that repeat, would be taken for a change by tests that think of
// windows as independent. The means before the step and those after it must be apart by half the step, and scatter
// around their levels by a fifth of it. The first and the last eighth of the time have no step: programs start and end.
// The block with the step belongs to neither side.
// least: the smallest step that is worth telling.
[[nodiscard]] std::optional<ChangePoint> find_change(std::span<double const> values, double least);

}  // namespace mpisee_through
