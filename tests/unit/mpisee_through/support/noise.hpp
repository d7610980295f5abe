// Series without a change and without phases.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace mpisee_through {

// Noise around a level, of which each value keeps a part of the one before. If that is all of it, a random walk, which
// turns at 0 and 1.
inline std::vector<double> noise(std::mt19937& random, std::size_t count, double kept, double deviation) {
  std::normal_distribution<double> normal;
  std::vector<double> values;
  double state = normal(random);
  for (std::size_t i = 0; i < count; ++i) {
    double const value = 0.3 + deviation * state, turned = std::abs(std::remainder(value, 2));
    values.push_back(kept < 1 ? std::clamp(value, 0.0, 1.0) : turned);
    state = kept * state + (kept < 1 ? std::sqrt(1 - kept * kept) : 1) * normal(random);
  }
  return values;
}

}  // namespace mpisee_through
