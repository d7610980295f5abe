// Finds the communicators whose time is correlated with a program's wall time, from run to run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "comparison/runs.hpp"
#include "comparison/statistics.hpp"
#include "table/document.hpp"

namespace mpisee_through {

struct CorrelatedCommunicator {
  std::string name;
  std::uint64_t size = 0;
  std::size_t runs = 0;    // number of runs with calls on it; only these are correlated
  double time_mean_s = 0;  // mean over runs of the mean over its ranks
  std::optional<Correlation> pearson, spearman;
  std::optional<double> slope;  // seconds on it for each second of wall time
};

// What to sort by: the largest weight first; ties by name.
struct CorrelationOrder {
  std::string_view name;
  double (*weight)(CorrelatedCommunicator const&);
};
extern std::array<CorrelationOrder, 5> const correlation_orders;

// The first `top` communicators. The absolute coefficient counts; communicators without a coefficient come last.
[[nodiscard]] Document correlations(Runs const& runs, CorrelationOrder const& order, std::optional<std::size_t> top);

}  // namespace mpisee_through
