// Which communicators' time follows the wall time of a program, from run to run.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comparison/runs.hpp"
#include "comparison/statistics.hpp"

namespace mpisee_through {

struct CorrelatedCommunicator {
  std::string name;
  std::uint64_t size;
  std::size_t runs;    // that have calls on it: those that are correlated
  double time_mean_s;  // over runs, of the mean over its ranks
  std::optional<Correlation> pearson;
  std::optional<Correlation> spearman;
  std::optional<double> pearson_p_adjusted;  // for all communicators
  std::optional<double> spearman_p_adjusted;
  std::optional<double> slope;  // seconds on it for each second of wall time
};

enum class CorrelationKey { pearson, spearman, slope, time, name };

// The greatest first, in either direction; what has no correlation last.
[[nodiscard]] std::vector<CorrelatedCommunicator> correlate(Runs const& runs, CorrelationKey key);

}  // namespace mpisee_through
