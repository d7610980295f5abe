#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "files/names.hpp"
#include "summary/arrangement.hpp"
#include "summary/summary.hpp"

namespace mpisee_through {

// The direction of a collective operation's data, in the classes of Open MPI's monitoring component.
enum class Direction { one_to_all, all_to_one, all_to_all };
inline constexpr Names<Direction, 3> directions{{{{Direction::one_to_all, "one-to-all"},
                                                  {Direction::all_to_one, "all-to-one"},
                                                  {Direction::all_to_all, "all-to-all"}}}};
[[nodiscard]] constexpr std::string_view name_of(Direction direction) { return directions.of(direction); }

// Nonblocking and persistent operations belong to the class of the blocking one: Ibcast and Bcast_init to that of
// Bcast. Nothing for an operation that is not collective.
[[nodiscard]] std::optional<Direction> direction_of(std::string_view operation);

struct CollectiveSummary {
  CommunicatorIndex communicator;
  Direction direction;
  Totals totals;
  // The number of operations: calls divided by the processes of the communicator, each of which calls once. Not an
  // integer if calls were lost, or if communicators of several sizes are folded.
  double operations;
};

// The collective operations of each selected communicator by direction, in the order of their sums; at most
// arrangement.top lines in total.
[[nodiscard]] std::vector<CollectiveSummary> sum_up_collectives(Summary const& summary, Arrangement const& arrangement);

}  // namespace mpisee_through
