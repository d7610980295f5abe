// Comparisons of runs as documents.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "comparison/comparison.hpp"
#include "comparison/correlation.hpp"
#include "table/document.hpp"

namespace mpisee_through {

struct ComparisonLayout {
  std::optional<std::size_t> top{};  // number of communicators to show
  bool totals_only = false;          // communicators without their operations
};

// All comparisons have the same group before. For programs a line for each change, also of the runs as a whole.
[[nodiscard]] Document comparisons(Runs const& runs, std::vector<Comparison> const& all,
                                   ComparisonLayout const& layout);
[[nodiscard]] Document correlations(Runs const& runs, std::vector<CorrelatedCommunicator> const& communicators,
                                    ComparisonLayout const& layout);

// Names a group by its profiles: "a", "a to c (3 runs)".
[[nodiscard]] std::string name_group(Runs const& runs, RunGroup const& group);
// The text in place of a table without lines.
[[nodiscard]] std::string_view why_no_calls(Runs const& runs);
// "+2.000 s"; "+12.3 %", "25x" from ten times on, "new", "gone", or "-" if there is no time before.
[[nodiscard]] std::string format_change(double seconds);
[[nodiscard]] std::string format_relative(Change const& change);
// "10.00 s → 12.00 s, +2.000 s (+20.0 %), p 0.029".
[[nodiscard]] std::string format_times(Change const& change);
// Two significant digits: 0.34, 0.0012, 1e-05, <1e-06.
[[nodiscard]] std::string format_p(std::optional<double> p);

}  // namespace mpisee_through
