#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "summary/arrangement.hpp"
#include "summary/summary.hpp"

namespace mpisee_through {

// Which way the data of a collective operation goes, as the monitoring component of Open MPI classes them.
enum class Direction { one_to_all, all_to_one, all_to_all };
inline constexpr std::array<Direction, 3> directions{Direction::one_to_all, Direction::all_to_one,
                                                     Direction::all_to_all};
[[nodiscard]] std::string_view name_of(Direction direction);

// Nonblocking and persistent forms are classed like the plain one: Ibcast and Bcast_init like Bcast. Nothing for what
// is no collective operation.
[[nodiscard]] std::optional<Direction> direction_of(std::string_view operation);

struct CollectiveSummary {
  CommunicatorIndex communicator;
  Direction direction;
  Totals totals;
  // How many operations the calls amount to: each process of a communicator calls once for one. Not a whole number
  // where calls were lost, or where communicators of several sizes are folded into one.
  double operations;
};

// The selected communicators in their order, those without collective operations left out; top counts communicators.
[[nodiscard]] std::vector<CollectiveSummary> sum_up_collectives(Summary const& summary, Arrangement const& arrangement);

}  // namespace mpisee_through
