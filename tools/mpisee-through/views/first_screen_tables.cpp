#include "views/first_screen_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/visible_text.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

using table::Kind, table::only_text, table::picks;

std::string name_of(CommunicatorLine const& line, std::size_t room) {
  if (line.more == 0) return shorten(line.one->name, room);
  std::string const count = format_count(line.more + 1) + " of ";
  return count + shorten_site(describe_maker(*line.summary, *line.one), room - std::min(room, count.size()));
}

// The share of the time in calls on the communicators that is known to be waiting.
std::string part_in_waits(ScreenRow const& row) {
  double const time_s = row.communicator.totals->time_s;
  if (!row.waiting || time_s <= 0) return "-";
  return (row.waiting->is_upper_bound ? "max. " : "") + format_share(row.waiting->wait_s / time_s);
}

table::Value wait_s(ScreenRow const& row) {
  if (!row.waiting) return {};
  return bounded(row.waiting->wait_s, row.waiting->is_upper_bound ? table::Bound::at_most : table::Bound::none);
}

}  // namespace

table::View<ScreenRow> view_of_costs(ScreenTable const& layout) {
  std::vector<table::Column<ScreenRow>> columns{
      {"name", "Communicator", Kind::name,
       [room = layout.room](ScreenRow const& row) { return name_of(row.communicator, room); }, only_text}};
  add_columns(
      columns, communicator_columns(), [](ScreenRow const& row) { return std::optional(row.communicator); },
      picks("comm, parent, created_by, created_at, size=Size, members, topology, reorder, user_name, freed, instances, "
            "ranks, calls, bytes_sent, bytes_received, time_s, mpi_share=MPI time, wall_share, time_mean_s, imbalance, "
            "rank_mean_s=Mean, rank_min_s=Min, rank_max_s=Max"));
  columns.push_back({.key = "wait_s", .title = "", .kind = Kind::seconds, .value = wait_s, .has_bounds = true});
  columns.push_back({"waits", layout.with_waits ? "Coll. waits" : "", Kind::figure, part_in_waits, only_text});
  return {.name = "communicators", .columns = std::move(columns)};
}

std::vector<ScreenRow> communicators_of(FirstScreen const& screen) {
  std::vector<ScreenRow> rows;
  for (CommunicatorIndex const index : arrange_communicators(screen.summary, {}, Include::with_operations)) {
    CommunicatorSummary const& one = screen.summary.communicator(index);
    rows.push_back({{&screen.summary, &one, &one.totals}, screen.waits.on(index)});
  }
  return rows;
}

ScreenRow row_of(FirstScreen const& screen, CommunicatorGroup const& group) {
  std::optional<Waiting> waiting;
  for (CommunicatorIndex const index : group.members) {
    auto const one = screen.waits.on(index);
    if (!one) continue;
    if (!waiting) waiting.emplace();
    waiting->is_upper_bound |= one->is_upper_bound;
    waiting->wait_s += one->wait_s;
  }
  CommunicatorSummary const& first = screen.summary.communicator(group.members.front());
  return {{&screen.summary, &first, &group.totals, group.members.size() - 1}, waiting};
}

}  // namespace mpisee_through
