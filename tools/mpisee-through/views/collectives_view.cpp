// Shows, for each communicator, the data from one to all, from all to one, and from all to all.
#include <algorithm>
#include <array>
#include <functional>
#include <memory>
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

struct CollectivesRow {
  Summary const* summary;
  CollectiveSummary const* one;

  [[nodiscard]] CommunicatorSummary const& communicator() const { return summary->communicator(one->communicator); }
};

table::View<CollectivesRow> view_of_collectives() {
  std::vector<table::Column<CollectivesRow>> columns{
      {"comm", "Communicator", Kind::name, [](CollectivesRow const& line) { return line.communicator().name; }},
      {"comm_size", "", Kind::count, [](CollectivesRow const& line) { return line.communicator().size; }},
      {"ranks", "", Kind::count, [](CollectivesRow const& line) { return line.communicator().ranks; }},
      {"direction", "Direction", Kind::name, [](CollectivesRow const& line) { return name_of(line.one->direction); }},
      {"operations", "Operations", Kind::count, [](CollectivesRow const& line) { return line.one->operations; }}};
  auto const& cost = cost_columns();
  add_columns(
      columns,
      [](CollectivesRow const& line) {
        return CallCosts{line.summary, &line.one->totals};
      },
      {cost.calls.titled("Calls"), cost.bytes_sent, cost.bytes_received, cost.volume, cost.time_s.titled("Time"),
       cost.mpi_share.titled("MPI time"), cost.wall_share.titled("Of wall"), cost.time_mean_s.titled("A call")});
  return {.name = "collectives", .columns = std::move(columns)};
}

// The collective operations of each selected communicator by direction, in the order of their sums; at most
// arrangement.top lines in total.
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

}  // namespace

Document collectives(Summary const& summary, Arrangement const& arrangement) {
  auto const all = std::make_shared<std::vector<CollectiveSummary>>(sum_up_collectives(summary, {arrangement.key, {}}));
  std::vector<CollectivesRow> lines;
  for (CollectiveSummary const& one : table::first_of(*all, arrangement.top)) lines.push_back({&summary, &one});
  table::Table table = table_of(view_of_collectives(), std::move(lines));
  table.hidden = all->size() - table.lines;
  table.if_empty = "No collective operations in this selection.\n";
  Document document = document_of(summary);
  document.tables.push_back(std::move(table));
  document.of = all;
  return document;
}

}  // namespace mpisee_through
