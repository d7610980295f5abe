// Groups of communicators: those that one call site makes repeatedly, and families, which one call makes on several
// groups of ranks, such as the rows of a grid.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "summary/summary.hpp"
#include "summary/waits.hpp"

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

// The name of several communicators, a pattern that --comm takes: "W_d*". It may select others, too.
[[nodiscard]] std::string name_of_group(std::vector<std::string_view> const& names);
// Empty for a single communicator.
[[nodiscard]] std::string name_of_group(Summary const& summary, CommunicatorGroup const& group);

// The creation call of a communicator whose call site is known: "Comm_dup at grid.c:88".
[[nodiscard]] std::string describe_maker(Summary const& summary, CommunicatorSummary const& communicator);

// The name without the parts that depend on ranks: "W_s2.*" for W_s2.0, W_s2.4 …, "W_u1.*.t7" for W_u1.0-3.t7,
// W_u1.4-7.t7 …
[[nodiscard]] std::string family_of(std::string_view communicator);

// A summary in which each family with several communicators is one communicator.
struct JoinedFamilies {
  Summary summary;
  Waits waits;
};

// Joins communicators of one family that were made at one call site, as far as it is known. Nothing if no family has
// several communicators with calls.
[[nodiscard]] std::optional<JoinedFamilies> join_families(Summary const& summary, Waits const& waits);

}  // namespace mpisee_through
