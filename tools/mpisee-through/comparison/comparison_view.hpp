// Comparisons of runs as documents, and whether a test of them fails.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "comparison/comparison.hpp"
#include "table/document.hpp"

namespace mpisee_through {

struct ComparisonLayout {
  std::optional<std::size_t> top{};  // number of communicators to show
  bool totals_only = false;          // communicators without their operations
};

// All comparisons have the same group before. For programs a line for each change, also of the runs as a whole.
[[nodiscard]] Document comparisons(Runs const& runs, std::vector<Comparison> const& all,
                                   ComparisonLayout const& layout);

// Names a group by its profiles: "a", "a to c (3 runs)".
[[nodiscard]] std::string name_group(Runs const& runs, RunGroup const& group);
// The text in place of a table without lines.
[[nodiscard]] std::string_view why_no_calls(Runs const& runs);

// What grew by more than a limit, the most first, in words: "wall time 10.00 s → 12.00 s, +2.000 s (+20.0 %), p 0.029;
// …". Empty if there is nothing.
struct Verdict {
  std::string slower, uncertain;  // uncertain: tested, but not significant
};
// limit: a share of the time before. Judges the wall time; of selected calls the communicators with calls before.
[[nodiscard]] Verdict judge(Comparison const& comparison, bool are_selected_calls, double limit);

}  // namespace mpisee_through
