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
  std::ranges::stable_sort(lines, std::ranges::greater(),
                           [&](Line const& one) { return weight_of(sort_values(totals_of(one)), key); });
}

// Compares digits in names as numbers: W_d2 comes before W_d10.
[[nodiscard]] bool name_less(std::string const& left, std::string const& right);

enum class Include { with_operations, all_selected };

// The communicators to show, in order.
[[nodiscard]] std::vector<CommunicatorIndex> arrange_communicators(Summary const& summary,
                                                                   Arrangement const& arrangement, Include include);

// The cells of operations to show, communicator by communicator. The cells of one operation are adjacent, except for
// SortKey::imbalance. `top` counts cells of all communicators together.
[[nodiscard]] std::vector<Cell const*> arrange_operations(Summary const& summary, Cells const& cells,
                                                          Arrangement const& arrangement);

enum class RankOrder { time_in_calls, time_outside };

// The ranks to show. SortKey::name sorts by rank; SortKey::size and imbalance sort like time.
[[nodiscard]] std::vector<RankSummary> arrange_ranks(Summary const& summary, Arrangement const& arrangement,
                                                     RankOrder by);

// Each node below its parent; those of one parent in the given order. parents: of each place; their number stands for
// none.
struct TreePlace {
  std::size_t place, depth;  // 0 for a root
};
[[nodiscard]] std::vector<TreePlace> walk_trees(std::vector<std::size_t> const& order,
                                                std::vector<std::size_t> const& parents);

struct TreeNode {
  CommunicatorIndex communicator;
  std::size_t depth;  // 0 for a root
  bool selected;      // false: shown only as an ancestor of a selected one
};

// The communicators to show, each below its parent. Ancestors are included even if they are not selected.
[[nodiscard]] std::vector<TreeNode> arrange_tree(Summary const& summary, Arrangement const& arrangement);

// One operation called at one site.
struct SiteLine {
  CallSiteIndex site;
  OperationIndex operation;
  Totals totals;
  std::size_t communicators;       // number of communicators that it was called on
  CommunicatorIndex communicator;  // the one with the most time
  RankSpread spread{};             // over the ranks that made the call there, if it is known

  // The ranks of the communicator; with several communicators, the ranks that made the call there.
  std::uint64_t ranks = 0;

  [[nodiscard]] std::optional<double> imbalance() const {
    return imbalance_of(spread.max_s(), ranks == 0 ? 0 : totals.time_s / static_cast<double>(ranks));
  }
};

// Sums by call site. Needs a summary with cells by operation and site, and with those by communicator, too.
// SortKey::name sorts by site, SortKey::size like SortKey::time.
[[nodiscard]] std::vector<SiteLine> sum_up_sites(Summary const& summary, Arrangement const& arrangement);

}  // namespace mpisee_through
