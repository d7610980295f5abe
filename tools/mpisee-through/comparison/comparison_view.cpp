#include "comparison/comparison_view.hpp"

#include <fmt/format.h>

#include "comparison/comparison_forms.hpp"
#include "table/value.hpp"
#include "text/units.hpp"

namespace mpisee_through {

void show(std::ostream& out, Runs const& runs, std::vector<Comparison> const& comparisons, Format format,
          ComparisonLayout const& layout) {
  if (format == Format::csv) return write_comparison_csv(out, runs, comparisons, layout);
  if (format == Format::json) return write_comparison_json(out, runs, comparisons, layout);
  for (Comparison const& comparison : comparisons) {
    bool const is_first = &comparison == &comparisons.front();
    if (!is_first && format == Format::text) out << "\n\n";
    // Prints a caution only once.
    bool const is_told = !is_first && comparison.caution == comparisons.front().caution;
    show_comparison(out, format, runs, comparison, layout, !comparison.caution.empty() && !is_told);
  }
}

std::string name_group(Runs const& runs, RunGroup const& group) {
  std::string const& first = runs.heads[group.front()].profile;
  if (group.size() == 1) return first;
  return fmt::format("{} to {} ({} runs)", first, runs.heads[group.back()].profile, format_count(group.size()));
}

std::string format_p(std::optional<double> p) { return table::Value(p).text(table::Kind::probability); }

}  // namespace mpisee_through
