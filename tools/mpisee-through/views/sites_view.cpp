// Shows a line for each call site and operation.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "text/units.hpp"
#include "views/columns.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

using table::In, table::Kind;

// One operation called at one site.
struct SiteLine {
  CallSiteIndex site;
  OperationIndex operation;
  Totals totals;
  RankSpread spread;                 // over the ranks that made the call there, if it is known
  std::size_t communicators = 0;     // number of communicators that it was called on
  CommunicatorIndex communicator{};  // the one with the most time
  // The ranks of the communicator; with several communicators, the ranks that made the call there.
  std::uint64_t ranks = 0;

  [[nodiscard]] std::optional<double> imbalance() const {
    return imbalance_of(spread.max_s, ranks == 0 ? 0 : totals.time_s / static_cast<double>(ranks));
  }
};

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

// Sums by call site. SortKey::name sorts by site, SortKey::size like SortKey::time.
std::vector<SiteLine> sum_up_sites(Summary const& summary, SortKey key) {
  auto const call_of = [](auto const& one) { return std::pair(one.operation, one.site); };
  std::vector<SiteLine> lines;
  for (Cell const& cell : summary.cells(by_op | by_site)) {
    lines.push_back({cell.site, cell.operation, cell.totals, cell.spread});
  }
  std::vector<double> most_s(lines.size(), -1);
  for (Cell const& cell : summary.cells(by_comm | by_op | by_site)) {
    auto const line = std::ranges::lower_bound(lines, call_of(cell), {}, call_of);
    double& most = most_s[static_cast<std::size_t>(line - lines.begin())];
    ++line->communicators;
    if (cell.totals.time_s <= most) continue;
    most = cell.totals.time_s;
    line->communicator = cell.communicator;
  }
  for (SiteLine& line : lines) {
    std::uint64_t const members = line.communicators == 1 ? summary.communicator(line.communicator).ranks : 0;
    line.ranks = std::max(members, line.spread.ranks);
  }
  std::ranges::sort(lines, {}, [&](SiteLine const& line) {
    SortValues values = sort_values(line.totals);
    values.imbalance = line.imbalance();
    auto const [amount, time_s] = weight_of(values, key);
    return std::tuple(-amount, -time_s, summary.site(line.site), summary.name_of(line.operation));
  });
  return lines;
}

}  // namespace

Document sites(Summary const& summary, Arrangement const& arrangement) {
  table::Table table = table_of(view_of_sites(summary), sum_up_sites(summary, arrangement.key), arrangement.top);
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
