#include "summary/collectives.hpp"

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

namespace mpisee_through {
namespace {

constexpr Direction one_to_all = Direction::one_to_all, all_to_one = Direction::all_to_one,
                    all_to_all = Direction::all_to_all;

constexpr std::pair<std::string_view, Direction> plain_operations[] = {
    {"Barrier", all_to_all},
    {"Bcast", one_to_all},
    {"Gather", all_to_one},
    {"Gatherv", all_to_one},
    {"Scatter", one_to_all},
    {"Scatterv", one_to_all},
    {"Allgather", all_to_all},
    {"Allgatherv", all_to_all},
    {"Alltoall", all_to_all},
    {"Alltoallv", all_to_all},
    {"Alltoallw", all_to_all},
    {"Reduce", all_to_one},
    {"Allreduce", all_to_all},
    {"Reduce_scatter", all_to_all},
    {"Reduce_scatter_block", all_to_all},
    {"Scan", all_to_all},
    {"Exscan", all_to_all},
    {"Neighbor_allgather", all_to_all},
    {"Neighbor_allgatherv", all_to_all},
    {"Neighbor_alltoall", all_to_all},
    {"Neighbor_alltoallv", all_to_all},
    {"Neighbor_alltoallw", all_to_all},
};

std::optional<Direction> find_plain(std::string_view operation) {
  auto const found = std::ranges::find(plain_operations, operation, &std::pair<std::string_view, Direction>::first);
  return found == std::ranges::end(plain_operations) ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::string_view name_of(Direction direction) {
  switch (direction) {
    case one_to_all:
      return "one-to-all";
    case all_to_one:
      return "all-to-one";
    case all_to_all:
      break;
  }
  return "all-to-all";
}

std::optional<Direction> direction_of(std::string_view operation) {
  constexpr std::string_view persistent = "_init";
  if (operation.ends_with(persistent)) operation.remove_suffix(persistent.size());
  if (auto const direction = find_plain(operation)) return direction;
  if (operation.size() < 2 || operation.front() != 'I') return std::nullopt;
  std::string plain(operation.substr(1));
  plain.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(plain.front())));
  return find_plain(plain);
}

std::vector<CollectiveSummary> sum_up_collectives(Summary const& summary, Arrangement const& arrangement) {
  std::vector<CollectiveSummary> collectives;
  for (CommunicatorIndex const index :
       arrange_communicators(summary, {.key = arrangement.key, .top = {}}, Include::with_operations)) {
    CommunicatorSummary const& communicator = summary.communicator(index);
    std::array<Totals, directions.size()> sums;
    for (OperationSummary const& operation : communicator.operations) {
      if (auto const direction = direction_of(summary.name_of(operation.operation))) {
        sums[static_cast<std::size_t>(*direction)] += operation.totals;
      }
    }
    for (Direction const direction : directions) {
      Totals const& totals = sums[static_cast<std::size_t>(direction)];
      if (totals.calls == 0) continue;
      // Descendants of MPI_COMM_SELF have no members in the profile: each rank has its own.
      std::uint64_t const processes = communicator.members.empty() ? communicator.size : communicator.ranks;
      double const operations =
          static_cast<double>(totals.calls) / static_cast<double>(std::max<std::uint64_t>(processes, 1));
      collectives.push_back({index, direction, totals, operations});
    }
  }
  if (arrangement.top && *arrangement.top < collectives.size())
    collectives.erase(collectives.begin() + static_cast<std::ptrdiff_t>(*arrangement.top), collectives.end());
  return collectives;
}

}  // namespace mpisee_through
