// Groups communicators that one call site makes repeatedly.
#pragma once

#include <string>
#include <string_view>
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

// The name of several communicators, which --comm takes: "W_d{1-20}", "W_s2.{0-12:4}". A shell pattern such as "W_d*",
// which may select others, too, if their numbers are no such list or it is long.
[[nodiscard]] std::string name_of_group(std::vector<std::string_view> const& names);
// Empty for a single communicator.
[[nodiscard]] std::string name_of_group(Summary const& summary, CommunicatorGroup const& group);

// Whether a name of name_of_group() with numbers in braces stands for this communicator, too.
[[nodiscard]] bool stands_for(std::string_view group, std::string_view communicator);

// The creation call of a communicator whose call site is known: "Comm_dup at grid.c:88".
[[nodiscard]] std::string describe_maker(Summary const& summary, CommunicatorSummary const& communicator);

}  // namespace mpisee_through
