#include "summary/collectives.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "calls/rules.hpp"
#include "summary/operation_kind.hpp"

namespace mpisee_through {
namespace {

Direction direction(commprof::calls::Row const& row) {
  using commprof::calls::Flow;
  switch (rule_of(row).flow) {
    case Flow::from_byteless:
    case Flow::from_root:
      return Direction::one_to_all;
    case Flow::to_root:
      return Direction::all_to_one;
    default:
      return Direction::all_to_all;
  }
}

}  // namespace

std::optional<Direction> direction_of(std::string_view operation) {
  commprof::calls::Row const* const row = row_of_operation(operation);
  return row != nullptr && is_collective(*row) ? std::optional(direction(*row)) : std::nullopt;
}

std::vector<CollectiveSummary> sum_up_collectives(Summary const& summary, Arrangement const& arrangement) {
  std::vector<CollectiveSummary> collectives;
  for (CommunicatorIndex const index :
       arrange_communicators(summary, {.key = arrangement.key, .top = {}}, Include::with_operations)) {
    CommunicatorSummary const& communicator = summary.communicator(index);
    std::array<Totals, directions.size()> sums;
    for (Cell const& operation : summary.operations_on(index)) {
      if (auto const direction = direction_of(summary.name_of(operation.operation))) {
        sums[static_cast<std::size_t>(*direction)] += operation.totals;
      }
    }
    for (auto const& [direction, name] : directions.rows) {
      Totals const& totals = sums[static_cast<std::size_t>(direction)];
      if (totals.calls == 0) continue;
      // Descendants of MPI_COMM_SELF have no members in the profile: each rank has its own.
      std::uint64_t const processes = communicator.members.empty() ? communicator.size : communicator.ranks;
      double const operations =
          static_cast<double>(totals.calls) / static_cast<double>(std::max<std::uint64_t>(processes, 1));
      collectives.push_back({index, direction, totals, operations});
    }
  }
  sort_by_amount(collectives, arrangement.key, std::mem_fn(&CollectiveSummary::totals));
  if (arrangement.top && *arrangement.top < collectives.size())
    collectives.erase(collectives.begin() + static_cast<std::ptrdiff_t>(*arrangement.top), collectives.end());
  return collectives;
}

}  // namespace mpisee_through
