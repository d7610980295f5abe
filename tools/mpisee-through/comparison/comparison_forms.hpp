// The forms that comparison_view.hpp chooses from, and what they share.
#pragma once

#include <algorithm>
#include <span>
#include <string>

#include "comparison/comparison_view.hpp"

namespace mpisee_through {

void print_comparison(std::ostream& out, Runs const& runs, Comparison const& comparison, ComparisonLayout const& layout,
                      bool with_caution);
void write_comparison_csv(std::ostream& out, Runs const& runs, std::vector<Comparison> const& comparisons,
                          ComparisonLayout const& layout);
void write_comparison_json(std::ostream& out, Runs const& runs, std::vector<Comparison> const& comparisons,
                           ComparisonLayout const& layout);

void print_correlations(std::ostream& out, Runs const& runs, std::vector<CorrelatedCommunicator> const& communicators,
                        ComparisonLayout const& layout);
void write_correlations_csv(std::ostream& out, std::vector<CorrelatedCommunicator> const& communicators,
                            ComparisonLayout const& layout);
void write_correlations_json(std::ostream& out, Runs const& runs,
                             std::vector<CorrelatedCommunicator> const& communicators, ComparisonLayout const& layout);

// The first ones of a list, all without layout.top.
template <class Item>
std::span<Item const> first_ones(std::vector<Item> const& items, ComparisonLayout const& layout) {
  return std::span(items).first(std::min(items.size(), layout.top.value_or(items.size())));
}

// "10.00 s → 12.00 s, +2.000 s (+20.0 %), p 0.029".
[[nodiscard]] std::string format_times(Change const& change);

// A number between 0 and 1 with two digits that count: 0.34, 0.0012, 1e-05, <1e-06.
[[nodiscard]] std::string format_p(std::optional<double> p);

}  // namespace mpisee_through
