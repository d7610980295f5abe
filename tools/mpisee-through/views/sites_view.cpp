// Shows a line for each call site and operation.
#include <fmt/format.h>

#include "summary/sites.hpp"
#include "text/units.hpp"
#include "views/columns.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

using table::Kind, table::only_text, table::picks;

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
  auto const site = [](SitesRow const& line) { return std::optional(SiteRef{line.summary, line.one->site}); };
  auto const costs = [](SitesRow const& line) { return std::optional(CallCosts{line.summary, &line.one->totals}); };
  add_columns(columns, site_columns(), site, "at:Call site, site, function, file, line");
  columns.insert(
      columns.end(),
      {{"op", "Call", Kind::name, [](SitesRow const& line) { return line.summary->name_of(line.one->operation); }},
       {"communicators", "", Kind::count, [](SitesRow const& line) { return line.one->communicators; }},
       {"comm", "", Kind::name,
        [](SitesRow const& line) { return line.summary->communicator(line.one->communicator).name; }},
       {"on", "Communicator", Kind::name, with_others, only_text}});
  add_columns(columns, cost_columns(), costs,
              "calls=Calls, bytes_sent, bytes_received, bytes:Volume, time_s, mpi_share=MPI time, wall_share=Of "
              "wall, time_mean_s=A call");
  columns.push_back(
      {"imbalance", "Imbalance", Kind::share, [](SitesRow const& line) { return line.one->imbalance(); }});
  return {
      .name = "sites",
      .columns = std::move(columns),
      .text = {"Call site", "Call", "MPI time", "Of wall", "Imbalance", "A call", "Volume", "Calls", "Communicator"},
      .cut = {.title = "Call site", .is_site = true}};
}

}  // namespace

std::string label_of_site(Summary const& summary, CallSiteIndex index) {
  std::string const& site = summary.site(index);
  return site.empty() ? "(not known)" : summary.site_names->label(site);
}

void show_sites(std::ostream& out, Format format, Summary const& summary, Arrangement const& arrangement) {
  std::vector<SiteLine> const all = sum_up_sites(summary, {arrangement.key, {}});
  std::vector<SitesRow> lines;
  for (SiteLine const& one : table::first_of(all, arrangement.top)) lines.push_back({&summary, &one});
  auto const view = view_of_sites();
  AroundTable around = around_tables(summary);
  around.if_empty = why_no_calls(summary.run);
  around.below = [&](std::ostream& text) {
    table::say_hidden(text, all.size() - lines.size(), "line");
    auto const problems = lines.empty() ? std::vector<std::string>() : summary.site_names->problems();
    if (!problems.empty()) text << '\n';
    for (std::string const& problem : problems) text << problem << ".\n";
  };
  show(out, format, table_of(view, lines), around, {.width = arrangement.width});
}

}  // namespace mpisee_through
