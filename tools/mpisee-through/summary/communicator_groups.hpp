// Communicators that one place in the program makes again and again, as one.
#pragma once

#include <string>
#include <vector>

#include "summary/summary.hpp"

namespace mpisee_through {

// From so many on they are joined: fewer are read faster one by one.
inline constexpr std::size_t fewest_to_join = 10;

// One communicator, or all those of one size that one call site has made.
struct CommunicatorGroup {
  std::vector<CommunicatorIndex> members;  // in the given order
  Totals totals;

  [[nodiscard]] bool is_joined() const { return members.size() > 1; }
};

// In the order of the first of each group. Communicators of which it is not known where they were made stand alone.
[[nodiscard]] std::vector<CommunicatorGroup> group_by_maker(Summary const& summary,
                                                            std::vector<CommunicatorIndex> const& communicators);

// What made a communicator of which it is known where: "Comm_dup at grid.c:88".
[[nodiscard]] std::string describe_maker(Summary const& summary, CommunicatorSummary const& communicator);

}  // namespace mpisee_through
