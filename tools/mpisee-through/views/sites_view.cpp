#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "files/visible_text.hpp"
#include "summary/sites.hpp"
#include "text/columns.hpp"
#include "text/units.hpp"
#include "views/forms.hpp"

namespace mpisee_through {
namespace {

std::vector<std::string> cells(Summary const& summary, SiteLine const& line) {
  Totals const& totals = line.totals;
  std::string const others = line.communicators > 1 ? fmt::format(" +{}", format_count(line.communicators - 1)) : "";
  return {label_of_site(summary, line.site),
          summary.name_of(line.operation),
          format_share(summary.share_of_mpi(totals)),
          format_share(summary.share_of_wall(totals)),
          format_share(line.imbalance()),
          format_seconds(totals.call_s()),
          format_bytes(totals.bytes()),
          format_count(totals.calls),
          summary.communicator(line.communicator).name + others};
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
  using namespace align;
  std::vector<SiteLine> lines = sum_up_sites(summary, {arrangement.key, {}});
  if (lines.empty()) {
    out << why_no_calls(summary.run);
    return;
  }
  Columns columns(0, {{"Call site", left},
                      {"Call", left},
                      {"MPI time", right},
                      {"Of wall", right},
                      {"Imbalance", right},
                      {"A call", right},
                      {"Volume", right},
                      {"Calls", right},
                      {"Communicator", left}});
  std::size_t const hidden = lines.size() - std::min(arrangement.top.value_or(lines.size()), lines.size());
  lines.erase(lines.end() - static_cast<std::ptrdiff_t>(hidden), lines.end());
  for (SiteLine const& line : lines) columns.fit(cells(summary, line));
  columns.cut(0, arrangement.width, Columns::Cut::beginning);
  columns.print_titles(out);
  for (SiteLine const& line : lines) columns.print(out, cells(summary, line));
  if (hidden > 0) fmt::print(out, "\nNot shown, beyond --top: {}.\n", format_number_of(hidden, "line"));
  std::vector<std::string> const problems = summary.site_names->problems();
  if (!problems.empty()) out << '\n';
  for (std::string const& problem : problems) out << problem << ".\n";
}

}  // namespace mpisee_through
