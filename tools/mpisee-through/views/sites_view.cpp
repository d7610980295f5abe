// Shows a line for each call site and operation.
#include <fmt/format.h>

#include "summary/arrangement.hpp"
#include "text/units.hpp"
#include "views/columns.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;

table::View<SiteLine> view_of_sites(Summary const& summary) {
  auto const comm = [&summary](SiteLine const& line) { return summary.communicator(line.communicator).name; };
  auto const with_others = [comm](SiteLine const& line) {
    return line.communicators > 1 ? fmt::format("{} +{}", comm(line), format_count(line.communicators - 1))
                                  : comm(line);
  };
  std::vector<table::Column<SiteLine>> columns;
  auto const& at = site_columns();
  auto const& cost = cost_columns();
  add_columns(columns,
              [&summary](SiteLine const& line) {
                return SiteRef{&summary, line.site};
              },
              {at.at.titled("Call site"), at.site, at.function, at.file, at.line});
  columns.insert(columns.end(),
                 {{"op", "Call", Kind::name, [&](SiteLine const& line) { return summary.name_of(line.operation); }},
                  {"communicators", "", Kind::count, &SiteLine::communicators},
                  {"comm", "", Kind::name, comm},
                  {"on", "Communicator", Kind::name, with_others, In::people}});
  add_columns(
      columns, costs_of<SiteLine>(summary),
      {cost.calls.titled("Calls"), cost.bytes_sent, cost.bytes_received, cost.volume, cost.time_s,
       cost.mpi_share.titled("MPI time"), cost.wall_share.titled("Of wall"), cost.time_mean_s.titled("A call")});
  columns.push_back({"imbalance", "Imbalance", Kind::share, &SiteLine::imbalance});
  return {
      .name = "sites",
      .columns = std::move(columns),
      .titles = {"Call site", "Call", "MPI time", "Of wall", "Imbalance", "A call", "Volume", "Calls", "Communicator"},
      .cut = {.title = "Call site", .is_site = true}};
}

}  // namespace

Document sites(Summary const& summary, Arrangement const& arrangement) {
  table::Table table = table_of(view_of_sites(summary), sum_up_sites(summary, {arrangement.key, {}}), arrangement.top);
  table.if_empty = why_no_calls(summary.run);
  // Looks the names up, which finds the problems.
  for (std::size_t line = 0; line < table.lines; ++line) (void)table.at(line, 0);
  auto const problems = table.lines == 0 ? std::vector<std::string>() : summary.site_names->problems();
  if (!problems.empty()) table.below = "\n";
  for (std::string const& problem : problems) table.below += problem + ".\n";
  Document document = document_of(summary);
  document.tables.push_back(std::move(table));
  return document;
}

}  // namespace mpisee_through
