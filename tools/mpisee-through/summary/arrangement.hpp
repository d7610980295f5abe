#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "summary/summary.hpp"

namespace mpisee_through {

// Amounts are sorted descending, names ascending. Equal amounts are in the order of their names. size: the
// communicator's. imbalance: maximum over mean of the ranks' times, equal ones by time.
enum class SortKey { time, calls, volume, name, size, imbalance };

// How much of a selection is shown, and in which order.
struct Arrangement {
  SortKey key = SortKey::time;
  std::optional<std::size_t> top;  // the number of lines to show; nothing: all
  std::size_t width = 120;         // of a table of text: longer descriptions are cut
};

// Numbers in names count as numbers: W_d2 is before W_d10.
[[nodiscard]] bool name_less(std::string_view left, std::string_view right);

enum class Include { with_operations, all_selected };

// The communicators to show, in order.
[[nodiscard]] std::vector<CommunicatorIndex> arrange_communicators(Summary const& summary,
                                                                   Arrangement const& arrangement, Include include);

// The operations of a communicator. The sizes of one operation are adjacent and ascend, except by imbalance.
[[nodiscard]] std::vector<OperationSummary const*> arrange_operations(Summary const& summary,
                                                                      CommunicatorSummary const& communicator,
                                                                      SortKey key);

// The operations of one communicator that are shown.
struct OperationBlock {
  CommunicatorIndex communicator;
  std::vector<OperationSummary const*> lines;
};

// All operations to show, by communicator. The top ones are the first by the key wherever they are.
[[nodiscard]] std::vector<OperationBlock> arrange_blocks(Summary const& summary, Arrangement const& arrangement);

enum class RankOrder { time_in_calls, time_outside };

// The ranks to show. By name means ascending; SortKey::size and imbalance order ranks like time.
[[nodiscard]] std::vector<RankSummary> arrange_ranks(Summary const& summary, Arrangement const& arrangement,
                                                     RankOrder by);

struct TreeNode {
  CommunicatorIndex communicator;
  std::size_t depth;  // 0 for a root
  bool selected;      // false: shown only as an ancestor of a selected one
};

// The communicators to show, each below its parent. Ancestors are included even if they are not selected.
[[nodiscard]] std::vector<TreeNode> arrange_tree(Summary const& summary, Arrangement const& arrangement);

}  // namespace mpisee_through
