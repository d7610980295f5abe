#include "views/first_screen_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "files/visible_text.hpp"
#include "text/units.hpp"

namespace mpisee_through {
using table::Kind, table::only_text, table::picks;

std::vector<table::Column<ScreenRow>> const& waits_columns() {
  static std::vector<table::Column<ScreenRow>> const columns{
      {"wait_s", "", Kind::seconds, &ScreenRow::wait_s},
      {"wait_share", "", Kind::share, [](ScreenRow const& row) {
         return row.wait_s ? share_of(*row.wait_s, row.communicator.totals->time_s) : std::nullopt;
       }}};
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
              layout.with_waits ? "wait_s, wait_share=Waiting" : "wait_s, wait_share");
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
    rows.push_back({{&screen.summary, &one, &one.totals}, screen.waits.wait_s_on(index)});
  }
  return rows;
}

ScreenRow row_of(FirstScreen const& screen, CommunicatorGroup const& group) {
  std::optional<double> wait_s;
  for (CommunicatorIndex const index : group.members)
    if (auto const its_s = screen.waits.wait_s_on(index)) wait_s = wait_s.value_or(0) + *its_s;
  CommunicatorSummary const& first = screen.summary.communicator(group.members.front());
  return {{&screen.summary, &first, &group.totals, name_of_group(screen.summary, group)}, wait_s};
}

}  // namespace mpisee_through
