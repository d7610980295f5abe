// The tables of the report: those of the views, as each view writes its part of a page. One table is not a view: that
// of communicators has lines for those that the report adds up.
#include <algorithm>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/json_parts.hpp"
#include "summary/communicator_groups.hpp"
#include "table/document.hpp"
#include "views/columns.hpp"
#include "views/views.hpp"

namespace mpisee_through {
namespace {

// Adds up communicators for a line of the table.
struct CommunicatorSum {
  CommunicatorSummary const* first = nullptr;
  std::vector<std::string_view> names;
  Totals totals;
  std::optional<double> wait_s;

  void add(CommunicatorSummary const& one, std::optional<double> its_s) {
    if (first == nullptr) first = &one;
    names.emplace_back(one.name);
    totals += one.totals;
    if (its_s) wait_s = wait_s.value_or(0) + *its_s;
  }
  [[nodiscard]] CommunicatorLine row(Summary const& summary, std::size_t depth, bool is_selected) const {
    return {&summary, first, totals, wait_s, names.size() > 1 ? name_of_group(names) : "", depth, is_selected};
  }
};

// The group of an index of ShownCommunicators.
std::optional<std::size_t> group_of(ShownCommunicators const& shown, std::size_t place) {
  if (place < shown.nodes().size()) return shown.group_of(place);
  std::size_t further = shown.nodes().size();
  for (std::size_t group = 0; group < shown.groups().size(); ++group)
    if (shown.groups()[group].further > 0 && further++ == place) return group;
  return std::nullopt;
}

// The lines of all indices of ShownCommunicators, then those of its groups.
Json communicators_table(ReportData const& data) {
  ShownCommunicators const& shown = data.communicators;
  Summary const& summary = data.summary();
  std::vector<CommunicatorSum> sums(shown.further() + 1), groups(shown.groups().size());
  for (std::size_t i = 0; i < summary.communicators.size(); ++i) {
    auto const index = static_cast<CommunicatorIndex>(i);
    std::size_t const place = shown.place_of(index);
    CommunicatorSummary const& one = summary.communicators[i];
    if (!one.selected && place >= shown.nodes().size()) continue;
    sums[place].add(one, data.first.waits.wait_s_on(index));
    if (auto const group = group_of(shown, place)) groups[*group].add(one, data.first.waits.wait_s_on(index));
  }
  std::vector<CommunicatorLine> rows;
  for (std::size_t place = 0; place < sums.size(); ++place) {
    bool const is_node = place < shown.nodes().size();
    if (sums[place].first == nullptr) continue;
    rows.push_back(
        sums[place].row(summary, is_node ? shown.nodes()[place].depth : 0, !is_node || shown.nodes()[place].selected));
  }
  for (CommunicatorSum const& group : groups) rows.push_back(group.row(summary, 0, true));
  return page_table(table_of(view_of_communicators(!data.first.waits.operations.empty()), std::move(rows)));
}

// The columns of pairs; the page adds up their lines.
Traffic without_pairs(Overview const& overview) {
  Traffic traffic;
  static_cast<Overview&>(traffic) = overview;
  return traffic;
}

}  // namespace

std::string tables_json(ReportData const& data) {
  Summary const& summary = data.summary();
  Arrangement const lines{.key = SortKey::time, .top = most_lines};
  std::ostringstream out;
  out << R"({"communicators": )" << communicators_table(data).dump();
  auto const add = [&out](std::string_view name, Document document) {
    document.head.clear();
    document.notes.clear();
    out << ",\n\"" << name << "\": ";
    write_page(out, document);
  };
  add("census", {.tables = {census(summary)}});
  add("operations", operations(summary, 0, lines));
  add("sizes", operations(summary, by_size, lines));
  add("ranks", ranks(summary, data.first.waits, lines, data.has_whole_ranks));
  out << ",\n\"waits\": " << page_tables_of_waits(summary, data.first.waits, data.causes, lines.top).dump();
  add("sites", sites(summary, {.key = SortKey::time, .top = most_sites}));
  add("pairs", messages(without_pairs(summary), {}));
  if (data.regions) add("regions", regions(*data.regions, RegionTimes::inclusive, {.top = most_regions}));
  return out.str() + "}";
}

}  // namespace mpisee_through
