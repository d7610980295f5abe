#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "summary/summary.hpp"

namespace mpisee_through {

// What comes first. Amounts fall, names rise; equal ones are in the order of their names. size: the communicator's.
enum class SortKey { time, calls, volume, name, size };

// How much of what was selected is shown, and in which order.
struct Arrangement {
  SortKey key = SortKey::time;
  std::optional<std::size_t> top;  // the first so many communicators; all of them without it
};

// Numbers in names count as numbers: W_d2 is before W_d10.
[[nodiscard]] bool name_less(std::string_view left, std::string_view right);

enum class Include { with_operations, all_selected };

// The communicators to show, first one first.
[[nodiscard]] std::vector<CommunicatorIndex> arrange_communicators(Summary const& summary,
                                                                   Arrangement const& arrangement, Include include);

// The operations of a communicator; sizes of one operation stay together, small ones first.
[[nodiscard]] std::vector<OperationSummary const*> arrange_operations(Summary const& summary,
                                                                      CommunicatorSummary const& communicator,
                                                                      SortKey key);

// The ranks to show. By name, they are in their own order; the size of a communicator is no order of ranks.
[[nodiscard]] std::vector<RankSummary> arrange_ranks(Summary const& summary, Arrangement const& arrangement);

struct TreeNode {
  CommunicatorIndex communicator;
  std::size_t depth;  // 0 for a root
  bool selected;      // false: there only to show where another one comes from
};

// The communicators to show below their parents and all ancestors, which are there even if they are not selected.
[[nodiscard]] std::vector<TreeNode> arrange_tree(Summary const& summary, Arrangement const& arrangement);

}  // namespace mpisee_through
