// Shows, for each communicator, the data from one to all, from all to one, and from all to all.
#include <algorithm>
#include <array>
#include <functional>
#include <vector>

#include "summary/operation_kind.hpp"
#include "views/columns.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

using table::Kind;

struct CollectiveSummary {
  CommunicatorIndex communicator;
  Direction direction;
  Totals totals;
  // The number of operations: calls divided by the processes of the communicator, each of which calls once. Not an
  // integer if calls were lost, or if communicators of several sizes are folded.
  double operations;
};

table::View<CollectiveSummary> view_of_collectives(Summary const& summary) {
  using Line = CollectiveSummary;
  auto const of = [&](Line const& line) -> CommunicatorSummary const& {
    return summary.communicator(line.communicator);
  };
  std::vector<table::Column<Line>> columns{
      {"comm", "Communicator", Kind::name, [of](Line const& line) { return of(line).name; }},
      {"comm_size", "", Kind::count, [of](Line const& line) { return of(line).size; }},
      {"ranks", "", Kind::count, [of](Line const& line) { return of(line).ranks; }},
      {"direction", "Direction", Kind::name, [](Line const& line) { return name_of(line.direction); }},
      {"operations", "Operations", Kind::count, &Line::operations}};
  auto const& cost = cost_columns();
  add_columns(
      columns, costs_of<Line>(summary),
      {cost.calls.titled("Calls"), cost.bytes_sent, cost.bytes_received, cost.volume, cost.time_s.titled("Time"),
       cost.mpi_share.titled("MPI time"), cost.wall_share.titled("Of wall"), cost.time_mean_s.titled("A call")});
  return {.name = "collectives", .columns = std::move(columns)};
}

// The collective operations of each selected communicator by direction, in the order of their sums.
std::vector<CollectiveSummary> sum_up_collectives(Summary const& summary, SortKey key) {
  std::vector<CollectiveSummary> collectives;
  for (CommunicatorIndex const index : arrange_communicators(summary, {key, {}}, Include::with_operations)) {
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
  sort_by_amount(collectives, key, &CollectiveSummary::totals);
  return collectives;
}

}  // namespace

Document collectives(Summary const& summary, Arrangement const& arrangement) {
  table::Table table =
      table_of(view_of_collectives(summary), sum_up_collectives(summary, arrangement.key), arrangement.top);
  table.if_empty = "No collective operations in this selection.\n";
  Document document = document_of(summary);
  document.tables.push_back(std::move(table));
  return document;
}

}  // namespace mpisee_through
