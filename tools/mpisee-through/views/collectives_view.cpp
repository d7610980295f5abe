// Shows, for each communicator, the data from one to all, from all to one, and from all to all.
#include <memory>

#include "summary/collectives.hpp"
#include "views/columns.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

using table::Kind;

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
