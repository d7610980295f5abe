#include "report/site_sums.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace mpisee_through {
namespace {

std::vector<SiteSums::Part> parts_of(Summary const& summary, ShownCommunicators const& communicators,
                                     std::vector<SiteLine> const& lines) {
  std::map<std::pair<CallSiteIndex, OperationIndex>, std::size_t> line_of;
  for (std::size_t i = 0; i < lines.size(); ++i) line_of.emplace(std::pair(lines[i].site, lines[i].operation), i);
  std::map<std::pair<std::size_t, std::size_t>, Totals> sums;
  for (Cell const& one : summary.cells(by_comm | by_op | by_site)) {
    auto const line = line_of.find({one.site, one.operation});
    if (line != line_of.end()) sums[{line->second, communicators.place_of(one.communicator)}] += one.totals;
  }
  std::vector<SiteSums::Part> parts;
  parts.reserve(sums.size());
  for (auto const& [key, totals] : sums) parts.push_back({key.first, key.second, totals});
  return parts;
}

}  // namespace

SiteSums add_up_sites(Summary const& summary, ShownCommunicators const& communicators, std::size_t max_lines,
                      std::size_t max_parts) {
  SiteSums sums;
  sums.are_known = std::ranges::any_of(summary.call_sites, [](std::string const& site) { return !site.empty(); });
  if (!sums.are_known) return sums;
  std::vector<SiteLine> all = sum_up_sites(summary, {.key = SortKey::time, .top = {}});
  sums.lines.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), max_lines)));
  sums.parts = parts_of(summary, communicators, sums.lines);
  if (sums.parts.size() > max_parts) {
    // Drops the whole line that does not fit completely.
    std::size_t const lines = sums.parts[max_parts].line;
    sums.lines.resize(lines);
    std::erase_if(sums.parts, [&](SiteSums::Part const& part) { return part.line >= lines; });
  }
  sums.left_out = all.size() - sums.lines.size();
  for (std::size_t i = sums.lines.size(); i < all.size(); ++i) sums.totals_left_out += all[i].totals;
  return sums;
}

}  // namespace mpisee_through
