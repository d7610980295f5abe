// Shows a comparison to people as text, and to programs as CSV or JSON.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "comparison/comparison.hpp"
#include "comparison/correlation.hpp"
#include "views/views.hpp"

namespace mpisee_through {

struct ComparisonLayout {
  std::optional<std::size_t> top{};  // number of communicators to show
  bool totals_only = false;          // communicators without their operations
  bool grey = false;                 // prints insignificant changes in grey, on a terminal
};

// All comparisons have the same group before.
void show(std::ostream& out, Runs const& runs, std::vector<Comparison> const& comparisons, Format format,
          ComparisonLayout const& layout);

void show(std::ostream& out, Runs const& runs, std::vector<CorrelatedCommunicator> const& communicators, Format format,
          ComparisonLayout const& layout);

// Names a group by its profiles: "a", "a to c (3 runs)".
[[nodiscard]] std::string name_group(Runs const& runs, RunGroup const& group);

}  // namespace mpisee_through
