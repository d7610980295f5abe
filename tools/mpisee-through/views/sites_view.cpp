// Shows a line for each call site and operation.
#include <fmt/format.h>

#include <memory>

#include "summary/arrangement.hpp"
#include "text/units.hpp"
#include "views/columns.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;

struct SitesRow {
  Summary const* summary;
  SiteLine const* one;
};

std::string with_others(SitesRow const& line) {
  std::string const& name = line.summary->communicator(line.one->communicator).name;
  return line.one->communicators > 1 ? fmt::format("{} +{}", name, format_count(line.one->communicators - 1)) : name;
}

table::View<SitesRow> view_of_sites() {
  std::vector<table::Column<SitesRow>> columns;
  auto const& at = site_columns();
  auto const& cost = cost_columns();
  add_columns(columns,
              [](SitesRow const& line) {
                return SiteRef{line.summary, line.one->site};
              },
              {at.at.titled("Call site"), at.site, at.function, at.file, at.line});
  columns.insert(
      columns.end(),
      {{"op", "Call", Kind::name, [](SitesRow const& line) { return line.summary->name_of(line.one->operation); }},
       {"communicators", "", Kind::count, [](SitesRow const& line) { return line.one->communicators; }},
       {"comm", "", Kind::name,
        [](SitesRow const& line) { return line.summary->communicator(line.one->communicator).name; }},
       {"on", "Communicator", Kind::name, with_others, In::people}});
  add_columns(
      columns,
      [](SitesRow const& line) {
        return CallCosts{line.summary, &line.one->totals};
      },
      {cost.calls.titled("Calls"), cost.bytes_sent, cost.bytes_received, cost.volume, cost.time_s,
       cost.mpi_share.titled("MPI time"), cost.wall_share.titled("Of wall"), cost.time_mean_s.titled("A call")});
  columns.push_back(
      {"imbalance", "Imbalance", Kind::share, [](SitesRow const& line) { return line.one->imbalance(); }});
  return {
      .name = "sites",
      .columns = std::move(columns),
      .titles = {"Call site", "Call", "MPI time", "Of wall", "Imbalance", "A call", "Volume", "Calls", "Communicator"},
      .cut = {.title = "Call site", .is_site = true}};
}

}  // namespace

Document sites(Summary const& summary, Arrangement const& arrangement) {
  auto const all = std::make_shared<std::vector<SiteLine>>(sum_up_sites(summary, {arrangement.key, {}}));
  std::vector<SitesRow> lines;
  for (SiteLine const& one : table::first_of(*all, arrangement.top)) lines.push_back({&summary, &one});
  table::Table table = table_of(view_of_sites(), std::move(lines));
  table.hidden = all->size() - table.lines;
  table.if_empty = why_no_calls(summary.run);
  // Looks the names up, which finds the problems.
  for (std::size_t line = 0; line < table.lines; ++line) (void)table.at(line, 0);
  auto const problems = table.lines == 0 ? std::vector<std::string>() : summary.site_names->problems();
  if (!problems.empty()) table.below = "\n";
  for (std::string const& problem : problems) table.below += problem + ".\n";
  Document document = document_of(summary);
  document.tables.push_back(std::move(table));
  document.of = all;
  return document;
}

}  // namespace mpisee_through
