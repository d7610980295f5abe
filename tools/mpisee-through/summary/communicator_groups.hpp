// Groups communicators that one call site makes repeatedly.
#pragma once

#include <string>
#include <vector>

#include "summary/summary.hpp"

namespace mpisee_through {

// The least number of communicators in a group. Fewer communicators are easier to read one by one.
inline constexpr std::size_t fewest_to_join = 10;

// One communicator, or all communicators of one size that one call site created.
struct CommunicatorGroup {
  std::vector<CommunicatorIndex> members;  // in the given order
  Totals totals;

  [[nodiscard]] bool is_joined() const { return members.size() > 1; }
};

// The groups, in the order of their first members. A communicator with an unknown call site is a group of its own.
[[nodiscard]] std::vector<CommunicatorGroup> group_by_maker(Summary const& summary,
                                                            std::vector<CommunicatorIndex> const& communicators);

// The creation call of a communicator whose call site is known: "Comm_dup at grid.c:88".
[[nodiscard]] std::string describe_maker(Summary const& summary, CommunicatorSummary const& communicator);

}  // namespace mpisee_through
