#include "views/first_screen_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/visible_text.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

using table::Kind, table::only_text, table::picks;

// The waiting, or a share of it, with its mark.
table::Value known_waiting(ScreenRow const& row, table::Value value) {
  return bounded(std::move(value), row.waiting->is_upper_bound ? table::Bound::at_most : table::Bound::none);
}

}  // namespace

std::vector<table::Column<ScreenRow>> const& waits_columns() {
  static std::vector<table::Column<ScreenRow>> const columns{
      {.key = "wait_s",
       .title = "",
       .kind = Kind::seconds,
       .value =
           [](ScreenRow const& row) { return row.waiting ? known_waiting(row, row.waiting->wait_s) : table::Value(); },
       .has_bounds = true},
      {.key = "wait_share",
       .title = "",
       .kind = Kind::share,
       .value =
           [](ScreenRow const& row) {
             return row.waiting ? known_waiting(row, share_of(row.waiting->wait_s, row.communicator.totals->time_s))
                                : table::Value();
           },
       .has_bounds = true}};
  return columns;
}

table::View<ScreenRow> view_of_costs(ScreenTable const& layout) {
  std::vector<table::Column<ScreenRow>> columns{
      {"name", "Communicator", Kind::name,
       [room = layout.room](ScreenRow const& row) { return shorten(row.communicator.name(), room); }, only_text}};
  add_columns(
      columns, communicator_columns(), [](ScreenRow const& row) { return std::optional(row.communicator); },
      picks("comm, parent, created_by, created_at, size=Size, members, topology, reorder, user_name, freed, instances, "
            "ranks, calls, bytes_sent, bytes_received, time_s, mpi_share=MPI time, wall_share, time_mean_s, imbalance, "
            "rank_mean_s=Mean, rank_min_s=Min, rank_max_s=Max"));
  add_columns(columns, waits_columns(), itself<ScreenRow>,
              layout.with_waits ? "wait_s, wait_share=Coll. waits" : "wait_s, wait_share");
  return {.name = "communicators", .columns = std::move(columns)};
}

table::View<EfficiencyLine> view_of_efficiencies(std::string title, std::string_view titles) {
  static std::vector<table::Column<EfficiencyLine>> const declared = [] {
    std::vector<table::Column<EfficiencyLine>> columns{{"mpi_share", "", Kind::share, &EfficiencyLine::mpi_share}};
    std::vector<table::Pick> all;
    for (auto const& one : efficiency_columns()) all.emplace_back(one.key);
    add_columns(
        columns, efficiency_columns(), [](EfficiencyLine const& line) { return std::optional(line.efficiency); }, all);
    return columns;
  }();
  std::vector<table::Column<EfficiencyLine>> columns{{"name", std::move(title), Kind::name, &EfficiencyLine::name}};
  add_columns(columns, declared, itself<EfficiencyLine>, titles);
  return {.name = "efficiencies", .columns = std::move(columns)};
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
  return {{&screen.summary, &first, &group.totals, name_of_group(screen.summary, group)}, waiting};
}

}  // namespace mpisee_through
