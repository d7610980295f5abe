#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "summary/summary.hpp"

namespace mpisee_through {

// Amounts sort descending, names ascending; lines of equal amounts by time, then by name. size: of the communicator.
// imbalance: maximum over mean of the ranks' times.
enum class SortKey { time, calls, volume, name, size, imbalance };

// The order of the lines, and how many of them to show.
struct Arrangement {
  SortKey key = SortKey::time;
  std::optional<std::size_t> top;  // number of lines to show; nothing: all
  std::size_t width = 120;         // width of a text table; longer descriptions are cut
};

// What a line can be sorted by. A line without bytes or size is sorted by time instead, one without imbalance comes
// last.
struct SortValues {
  double time_s = 0, calls = 0;
  std::optional<double> bytes{}, size{}, imbalance{};
};
[[nodiscard]] SortValues sort_values(Totals const& totals);

// The value to sort by, descending, and the one that decides between equal ones. All are equal for SortKey::name, so
// only the names decide.
using Weight = std::pair<double, double>;
[[nodiscard]] Weight weight_of(SortValues const& values, SortKey key);

// Sorts lines by the amounts that they show. Leaves their order for keys that are no sum.
template <class Line, class TotalsOf>
void sort_by_amount(std::vector<Line>& lines, SortKey key, TotalsOf const& totals_of) {
  if (key == SortKey::size || key == SortKey::imbalance) return;
  auto const weight = [&](Line const& one) { return weight_of(sort_values(std::invoke(totals_of, one)), key); };
  if (!std::ranges::is_sorted(lines, std::ranges::greater(), weight))
    std::ranges::stable_sort(lines, std::ranges::greater(), weight);
}

// Compares digits in names as numbers: W_d2 comes before W_d10.
[[nodiscard]] bool name_less(std::string const& left, std::string const& right);

enum class Include { all, selected, with_operations };

// The communicators to show, in order.
[[nodiscard]] std::vector<CommunicatorIndex> arrange_communicators(Summary const& summary,
                                                                   Arrangement const& arrangement, Include include);

// The chosen places and all above them: each below its parent, those of one parent in the given order. parents: of each
// place; their number stands for none.
struct TreeNode {
  std::size_t place, depth;  // depth: 0 for a root
  bool is_chosen;
};
[[nodiscard]] std::vector<TreeNode> walk_trees(std::vector<std::size_t> const& order,
                                               std::vector<std::size_t> const& parents,
                                               std::vector<bool> const& chosen);

}  // namespace mpisee_through
