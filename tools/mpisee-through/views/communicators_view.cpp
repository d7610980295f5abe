// Shows a line for each communicator, and the number of communicators of each size. Text joins communicators that one
// call site creates repeatedly.
#include <algorithm>
#include <set>

#include "summary/census.hpp"
#include "summary/communicator_groups.hpp"
#include "views/columns.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

using table::Kind, table::only_text, table::picks;

table::View<CommunicatorLine> view_of_communicators() {
  std::vector<table::Column<CommunicatorLine>> columns;
  add_columns(columns, communicator_columns(), itself<CommunicatorLine>,
              "name:Communicator, comm, parent, created_by, size=Size, members, topology, reorder, user_name, "
              "freed, instances, ranks, calls=Calls, bytes_sent, bytes_received, bytes:Volume, time_s, "
              "mpi_share=MPI time, rank_mean_s=Mean, rank_min_s, rank_max_s, wall_share=Of wall, time_mean_s=A "
              "call, imbalance=Imbalance, created_at, made_by:Made by");
  return {.name = "communicators",
          .columns = std::move(columns),
          .text = {"Communicator", "Size", "MPI time", "Of wall", "Mean", "Imbalance", "A call", "Volume", "Calls",
                   "Made by"},
          .cut = {.title = "Made by", .least = 32}};
}

table::View<CensusLine> census_view() {
  return {.name = "census",
          .columns = {{"size", "Size", Kind::count, &CensusLine::size},
                      {"created_by", "Made by", Kind::name, &CensusLine::created_by},
                      {"communicators", "Communicators", Kind::count, &CensusLine::communicators},
                      {"freed", "Freed", Kind::count, &CensusLine::freed},
                      {"time_s", "Time", Kind::seconds, &CensusLine::time_s}}};
}

// A line of text: one size, with a column for each call that creates communicators.
struct SizeLine {
  std::uint64_t size;
  std::vector<CensusLine> made{};

  [[nodiscard]] std::optional<std::uint64_t> made_by(std::string const& maker) const {
    auto const found = std::ranges::find(made, maker, &CensusLine::created_by);
    return found == made.end() ? std::nullopt : std::optional(found->communicators);
  }
  [[nodiscard]] std::uint64_t communicators() const {
    std::uint64_t sum = 0;
    for (CensusLine const& one : made) sum += one.communicators;
    return sum;
  }
};

// The census, which ascends by size, as text has it.
std::vector<SizeLine> lines_by_size(std::vector<CensusLine> const& census) {
  std::vector<SizeLine> lines;
  for (CensusLine const& line : census) {
    if (lines.empty() || lines.back().size != line.size) lines.push_back({line.size});
    lines.back().made.push_back(line);
  }
  return lines;
}

table::View<SizeLine> view_by_size(std::vector<CensusLine> const& census) {
  std::set<std::string> makers;
  for (CensusLine const& line : census) makers.insert(line.created_by);
  table::View<SizeLine> view{.name = "census",
                             .columns = {{"size", "Size", Kind::count, &SizeLine::size},
                                         {"communicators", "Communicators", Kind::count, &SizeLine::communicators}}};
  for (std::string const& maker : makers)
    view.columns.push_back({maker, maker.empty() ? "by MPI" : maker, Kind::count,
                            [maker](SizeLine const& line) { return line.made_by(maker); }});
  return view;
}

}  // namespace

void show_communicators(std::ostream& out, Format format, Summary const& summary, Arrangement const& arrangement) {
  std::vector<CommunicatorLine> lines;
  auto const all = arrange_communicators(summary, {arrangement.key, {}}, Include::all_selected);
  auto groups = format == Format::text ? group_by_maker(summary, all) : std::vector<CommunicatorGroup>();
  sort_by_amount(groups, arrangement.key, std::mem_fn(&CommunicatorGroup::totals));
  std::size_t hidden = all.size();
  for (CommunicatorGroup const& group : table::first_of(groups, arrangement.top)) {
    hidden -= group.members.size();
    lines.push_back(
        {&summary, &summary.communicator(group.members.front()), &group.totals, name_of_group(summary, group)});
  }
  if (format != Format::text) {
    for (CommunicatorIndex const index : table::first_of(all, arrangement.top)) {
      CommunicatorSummary const& one = summary.communicator(index);
      lines.push_back({&summary, &one, &one.totals});
      --hidden;
    }
  }
  std::vector<CensusLine> const census = take_census(summary);
  auto const view = view_of_communicators();
  AroundTable around = around_tables(summary);
  auto const census_columns = census_view();
  around.members = [&] {
    return Json{{"run", head_of(summary)}, {"census", json_list(table_of(census_columns, census))}};
  };
  table::Table const table = table_of(view, lines);
  if (format == Format::csv || format == Format::json) return show(out, format, table, around);
  auto const by_size = lines_by_size(census);
  auto const view_of_sizes = view_by_size(census);
  auto const say_hidden = [&](std::ostream& text) { table::say_hidden(text, hidden, "communicator"); };
  show_parts(out, format,
             {{table, {.width = arrangement.width}, around.above, say_hidden},
              {format == Format::text ? table_of(view_of_sizes, by_size) : table_of(census_columns, census)}});
}

void show_census(std::ostream& out, Format format, Summary const& summary, Arrangement const& /*arrangement*/) {
  std::vector<CensusLine> const census = take_census(summary);
  auto const view = census_view();
  AroundTable const around = around_tables(summary);
  if (format != Format::text) return show(out, format, table_of(view, census), around);
  auto const by_size = lines_by_size(census);
  auto const view_of_sizes = view_by_size(census);
  show(out, format, table_of(view_of_sizes, by_size), around);
}

}  // namespace mpisee_through
