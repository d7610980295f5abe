// A comparison as its reader wants to see it: for people as text, for programs as CSV or JSON.
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
  std::optional<std::size_t> top{};  // only so many communicators, the first of the order
  bool totals_only = false;          // communicators without their operations
  bool grey = false;                 // what is not significant, on a terminal
};

// Each with the same group before.
void show(std::ostream& out, Runs const& runs, std::vector<Comparison> const& comparisons, Format format,
          ComparisonLayout const& layout);

void show(std::ostream& out, Runs const& runs, std::vector<CorrelatedCommunicator> const& communicators, Format format,
          ComparisonLayout const& layout);

// The runs of a group by their profiles: "a", "a to c (3 runs)".
[[nodiscard]] std::string name_group(Runs const& runs, RunGroup const& group);

}  // namespace mpisee_through
