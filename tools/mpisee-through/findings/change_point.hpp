// Finds the part of a run that has another level than the rest.
#pragma once

#include <cstddef>
#include <numeric>
#include <optional>
#include <span>

namespace mpisee_through {

[[nodiscard]] inline double mean_of(std::span<double const> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The values from `first` to before `end` have another level than the others. After one step, `end` is the number of
// values. After two, the level is that from before the first step.
struct ChangedPart {
  std::size_t first, end;
};

// Finds nothing unless levels are flat, and the steps between them sudden: tests that think of values as independent
// take a random walk, noise that is correlated over many values or phases that repeat for a change. So each step must
// be 2.5 times as large as any other difference between the means of neighbouring blocks, a sixteenth of the time each,
// and most of it must happen at once. The blocks must be apart by half the step, and scatter around their levels by a
// fifth of it. The first and the last sixteenth of the time are ignored, and the next ones have no step: programs start
// and end. Fewer than 100 values have no change. least: the smallest step that is worth telling.
[[nodiscard]] std::optional<ChangedPart> find_change(std::span<double const> values, double least);

}  // namespace mpisee_through
