// Finds the communicators whose time is correlated with a program's wall time, from run to run.
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
  std::size_t runs;    // number of runs with calls on it; only these are correlated
  double time_mean_s;  // mean over runs of the mean over its ranks
  std::optional<Correlation> pearson;
  std::optional<Correlation> spearman;
  std::optional<double> pearson_p_adjusted;  // for the tests of all communicators
  std::optional<double> spearman_p_adjusted;
  std::optional<double> slope;  // seconds on it for each second of wall time
};

enum class CorrelationKey { pearson, spearman, slope, time, name };

// Sorts by the absolute coefficient, descending; communicators without a coefficient come last.
[[nodiscard]] std::vector<CorrelatedCommunicator> correlate(Runs const& runs, CorrelationKey key);

}  // namespace mpisee_through
