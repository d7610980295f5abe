#include <algorithm>
#include <limits>

#include "files/visible_text.hpp"
#include "report/json_parts.hpp"
#include "views/columns.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

// The first line is the whole run; the regions follow.
Json efficiencies_table(FirstScreen const& screen) {
  std::vector<EfficiencyLine> const lines = efficiency_lines(screen);
  auto const& of = efficiency_columns();
  table::View<EfficiencyLine> view{.name = "efficiencies",
                                   .columns = {{"name", "Region", table::Kind::name, &EfficiencyLine::name}}};
  add_columns(view.columns, &EfficiencyLine::efficiency,
              {of.parallel.titled("Parallel efficiency"), of.load_balance.titled("Load balance"),
               of.communication.titled("Communication efficiency"), of.serialisation.titled("Serialisation"),
               of.transfer.titled("Transfer")});
  view.columns.push_back({"mpi_share", "In MPI", table::Kind::share, &EfficiencyLine::mpi_share});
  add_columns(view.columns, &EfficiencyLine::efficiency, {of.wall_max_s.titled("Longest rank")});
  auto const shown = table::first_of(lines, most_regions + 1);
  return page_table(table_of(view, std::vector(shown.begin(), shown.end())));
}

}  // namespace

Json story_json(FirstScreen const& screen) {
  Json findings = Json::array();
  for (Finding const& finding : screen.findings) {
    Json consequences = Json::array(), possible = Json::array();
    for (Finding const& one : finding.consequences)
      if (one.only_may_follow) possible.push_back(short_fact(one));
      else consequences.push_back(one.fact);
    findings.push_back({{"rule", finding.rule},
                        {"fact", finding.fact},
                        {"advice", finding.advice},
                        {"note", finding.note},
                        {"thus", consequences},
                        {"may_follow", possible},
                        {"command", "mpisee-through " + arguments_of(finding, screen)}});
  }
  Json told = Json::array();
  for (auto const& [label, text] : highlights(screen)) told.push_back({{"label", label}, {"text", text}});
  Run const& run = screen.summary.run;
  Terminal const unbounded{.width = std::numeric_limits<std::size_t>::max()};  // the page breaks lines
  return {{"state_title", title_of_state(run)},
          {"state", lines_of_state(screen, unbounded)},
          {"findings", findings},
          {"no_findings", reason_for_no_findings(screen)},
          {"unexplained", describe_unexplained(screen)},
          {"highlights", told},
          {"efficiencies", efficiencies_table(screen)}};
}

Json sites_json(ReportData const& data) {
  SiteSums const& sums = data.sites;
  if (!sums.are_known) return {};
  Summary const& summary = data.summary();
  Json list = Json::array();
  for (SiteLine const& line : sums.lines) {
    std::string const& site = summary.site(line.site);
    SourcePlace const& place = summary.site_names->place(site);
    list.push_back({{"label", label_of_site(summary, line.site)},
                    {"site", visible(site)},
                    {"function", place.function},
                    {"file", place.file},
                    {"line", place.line},
                    {"operation", static_cast<std::uint32_t>(line.operation)}});
  }
  using Part = SiteSums::Part;
  return {{"list", list},
          {"parts",
           {{"line", counts_of(sums.parts, [](Part const& part) { return part.line; })},
            {"communicator", counts_of(sums.parts, [](Part const& part) { return part.communicator; })},
            {"calls", counts_of(sums.parts, [](Part const& part) { return part.totals.calls; })},
            {"sent", counts_of(sums.parts, [](Part const& part) { return part.totals.bytes_sent; })},
            {"received", counts_of(sums.parts, [](Part const& part) { return part.totals.bytes_received; })},
            {"time", seconds_of(sums.parts, [](Part const& part) { return part.totals.time_s; })}}},
          {"left_out", sums.left_out},
          {"time_left_out", sums.totals_left_out.time_s},
          {"problems", summary.site_names->problems()}};
}

}  // namespace mpisee_through
