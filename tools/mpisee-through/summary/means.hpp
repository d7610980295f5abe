// Means of values at even distances.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

namespace mpisee_through {

[[nodiscard]] inline double mean_of(std::span<double const> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// The means of so many neighbours each.
[[nodiscard]] inline std::vector<double> means_of_neighbours(std::span<double const> values, std::size_t every) {
  std::vector<double> means;
  for (std::size_t i = 0; i < values.size(); i += every)
    means.push_back(mean_of(values.subspan(i, std::min(every, values.size() - i))));
  return means;
}

}  // namespace mpisee_through
