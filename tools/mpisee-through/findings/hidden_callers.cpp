#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "summary/sites.hpp"
#include "symbols/site_names.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// The library of a site without callers, "libsolver.so.3"; empty for programs and sites with callers.
std::string_view library_of(std::string_view site) {
  std::string_view const module = site.substr(0, site.rfind("+0x"));
  bool const is_library = module.size() < site.size() && module.find(".so") != module.npos;
  return is_library && site.find(" < ") == site.npos ? module : std::string_view();
}

// The program of a site without a function, "pw.x" of "pw.x+0x4a2f1d"; empty for others.
std::string_view stripped_program_of(Summary const& summary, std::string const& site) {
  bool const is_stripped = summary.site_names != nullptr && summary.site_names->is_stripped(site);
  std::size_t const offset = site.rfind("+0x");
  if (!is_stripped || offset == site.npos || site.find(".so") != site.npos || site.find(" < ") != site.npos) return {};
  return std::string_view(site).substr(0, offset);
}

}  // namespace

void say_hidden_callers(Summary const& summary, std::vector<Finding>& findings) {
  std::map<std::string_view, std::uint64_t> calls_of;
  std::uint64_t all = 0;
  for (Cell const& one : summary.cells(by_op | by_site)) {
    all += one.totals.calls;
    if (auto const library = library_of(summary.site(one.site)); !library.empty())
      calls_of[library] += one.totals.calls;
  }
  for (Finding& finding : findings) {
    if (finding.places.empty()) continue;
    auto const& [index, operation] = finding.places.front();
    Cell const* const site = main_site(summary, *summary.operation(index, operation));
    if (site == nullptr) continue;
    if (auto const program = stripped_program_of(summary, summary.site(site->site)); !program.empty()) {
      finding.note = fmt::format("{} has no name for this call site: {}.", program, how_to_name);
      continue;
    }
    std::string_view const library = library_of(summary.site(site->site));
    auto const share = library.empty() ? std::nullopt : share_of(calls_of[library], all);
    if (share.value_or(0) < thresholds::calls_of_library) continue;
    finding.note = fmt::format(
        "{} makes {} of the calls: with commprof --stack=1 (COMMPROF_STACK), call sites have their callers.", library,
        format_share(share));
  }
}

}  // namespace mpisee_through
