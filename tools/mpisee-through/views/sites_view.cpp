#include <fmt/format.h>
#include <fmt/ostream.h>

#include "files/visible_text.hpp"
#include "summary/sites.hpp"
#include "text/columns.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

std::vector<std::string> cells(Summary const& summary, SiteLine const& line) {
  Totals const& totals = line.totals;
  double const mean_s = totals.calls == 0 ? 0 : totals.time_s / static_cast<double>(totals.calls);
  return {
      label_of_site(summary, line.site), summary.name_of(line.operation), format_share(summary.share_of_mpi(totals)),
      format_seconds(totals.time_s),     format_seconds(mean_s),          format_bytes(totals.bytes()),
      format_count(totals.calls),        communicators_of(summary, line)};
}

}  // namespace

std::string label_of_site(Summary const& summary, CallSiteIndex index) {
  std::string const& site = summary.site(index);
  return site.empty() ? "(not known)" : summary.site_names->label(site);
}

std::string communicators_of(Summary const& summary, SiteLine const& line) {
  std::string const& name = summary.communicator(line.communicator).name;
  return line.communicators == 1 ? name : fmt::format("{} and {} more", name, format_count(line.communicators - 1));
}

void print_sites(std::ostream& out, Summary const& summary, Arrangement const& arrangement) {
  using enum Columns::Align;
  std::vector<SiteLine> const lines = sum_up_sites(summary, arrangement);
  if (lines.empty()) {
    out << "No calls in this selection.\n";
    return;
  }
  Columns columns(0, {{"Call site", left},
                      {"Call", left},
                      {"MPI time", right},
                      {"Sum", right},
                      {"A call", right},
                      {"Volume", right},
                      {"Calls", right},
                      {"Communicator", left}});
  for (SiteLine const& line : lines) columns.fit(cells(summary, line));
  columns.print_titles(out);
  for (SiteLine const& line : lines) columns.print(out, cells(summary, line));
  std::vector<std::string> const problems = summary.site_names->problems();
  if (!problems.empty()) out << '\n';
  for (std::string const& problem : problems) out << problem << ".\n";
}

}  // namespace mpisee_through
