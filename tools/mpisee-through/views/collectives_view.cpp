// Shows, for each communicator, the data from one to all, from all to one, and from all to all.
#include "summary/collectives.hpp"
#include "views/columns.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

using table::Kind, table::only_text, table::picks;

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
  add_columns(
      columns, cost_columns(),
      [](CollectivesRow const& line) {
        return std::optional(CallCosts{line.summary, &line.one->totals});
      },
      picks("calls=Calls, bytes_sent, bytes_received, bytes:Volume, time_s=Time, mpi_share=MPI time, wall_share=Of "
            "wall, time_mean_s=A call"));
  return {.name = "collectives", .columns = std::move(columns)};
}

}  // namespace

void show_collectives(std::ostream& out, Format format, Summary const& summary, Arrangement const& arrangement) {
  std::vector<CollectiveSummary> const all = sum_up_collectives(summary, {arrangement.key, {}});
  std::vector<CollectivesRow> lines;
  for (CollectiveSummary const& one : table::first_of(all, arrangement.top)) lines.push_back({&summary, &one});
  auto const view = view_of_collectives();
  AroundTable around = around_tables(summary);
  around.if_empty = "No collective operations in this selection.\n";
  around.below = [&](std::ostream& text) { table::say_hidden(text, all.size() - lines.size(), "line"); };
  show(out, format, table_of(view, lines), around);
}

}  // namespace mpisee_through
