// Functions shared by the forms that comparison_view.hpp chooses from.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "comparison/comparison_view.hpp"
#include "files/json.hpp"

namespace mpisee_through {

// Writes the comparison as text or as a part of a page.
void show_comparison(std::ostream& out, Format format, Runs const& runs, Comparison const& comparison,
                     ComparisonLayout const& layout, bool with_caution);
void write_comparison_csv(std::ostream& out, Runs const& runs, std::vector<Comparison> const& comparisons,
                          ComparisonLayout const& layout);
void write_comparison_json(std::ostream& out, Runs const& runs, std::vector<Comparison> const& comparisons,
                           ComparisonLayout const& layout);

// A run as JSON.
[[nodiscard]] Json run_object(Runs const& runs, std::size_t run);

// The text in place of a table without lines.
[[nodiscard]] std::string_view why_no_calls(Runs const& runs);
void print_remainder(std::ostream& out, std::size_t shown, std::size_t all);

// "+2.000 s"; "+12.3 %", "25x" from ten times on, "new", "gone", or "-" if there is no time before.
[[nodiscard]] std::string format_change(double seconds);
[[nodiscard]] std::string format_relative(Change const& change);

// "10.00 s → 12.00 s, +2.000 s (+20.0 %), p 0.029".
[[nodiscard]] std::string format_times(Change const& change);

// Two significant digits: 0.34, 0.0012, 1e-05, <1e-06.
[[nodiscard]] std::string format_p(std::optional<double> p);

}  // namespace mpisee_through
