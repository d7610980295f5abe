#include "report/report_data.hpp"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/schema.hpp"
#include "report/json_parts.hpp"
#include "summary/time_windows.hpp"

namespace mpisee_through {

namespace {

constexpr std::string_view only_sums =
    "The profile holds sums over ranks, and the rows of some (COMMPROF_DETAIL=summary).";
constexpr std::string_view no_calls_of_messages =
    "Messages do not say which call sent them, so those of some calls alone cannot be shown.";

void add_links(ReportData& data, Profile const& profile, Selection const& selection, LinksReader const& read_links) {
  if (!data.no_pairs.empty()) data.no_links = data.no_pairs;
  else if (!profile.holds(commprof::schema::peers)) data.no_links = "This profile was written without messages.";
  else data.links = read_links(profile, selection, data.summary());
}

PairSums read_pairs(Profile const& profile, Selection const& selection, ReportData const& data) {
  PairSums pairs = add_up_pairs(profile, selection, data.communicators);
  if (are_part_of_bytes_sent(profile, selection))
    pairs.part = part_of_bytes_sent(pairs.total.bytes, bytes_sent(data.summary()));
  return pairs;
}

}  // namespace

ReportData read_report_data(Profile const& profile, Selection const& selection, LinksReader const& read_links) {
  namespace schema = commprof::schema;
  bool const has_rows = has_rows_of(profile.run(), selection);
  std::vector<CellList> lists = cells_of_findings(CellList::With::totals);
  if (has_rows) {
    std::ranges::find(lists, by_op | by_site, &CellList::keys)->with = CellList::With::spread;
    lists.push_back({by_rank, CellList::With::totals});
  }
  FirstScreen first = read_first_page(profile, selection, RegionTimes::inclusive, lists);
  if (has_rows) first.waits.pairs = read_known_waits(profile, first.summary, selection, WaitDetail::pairs).pairs;
  ShownCommunicators communicators(first.summary, most_communicators);
  SiteSums sites = add_up_sites(first.summary, communicators, most_sites, most_site_parts);
  BinnedTimes ranks = add_up_rank_times(profile, selection, first.summary, communicators, first.waits);
  ReportData data{.selection = describe(selection),
                  .has_whole_ranks = selection.has_whole_ranks(),
                  .first = std::move(first),
                  .communicators = std::move(communicators),
                  .sites = std::move(sites),
                  .ranks = std::move(ranks)};
  bool const of_calls = !selection.operations.empty() || !selection.kinds.empty() || !selection.sites.empty();
  if (of_calls) data.no_pairs = std::string(no_calls_of_messages);
  else if (!has_rows) data.no_pairs = std::string(only_sums);
  else if (profile.holds(schema::peers)) data.pairs = read_pairs(profile, selection, data);
  if (of_calls || !selection.communicators.empty() || selection.sizes)
    data.no_regions = "Times of regions are known as a whole, not by communicator, call or size.";
  else if (!has_rows) data.no_regions = std::string(only_sums);
  else if (profile.holds(schema::regions)) data.regions = add_up_regions(profile, selection);
  if (data.first.windows) data.windows = windows_json(*data.first.windows);
  if (selection.selects_all_but_classes() && has_rows && profile.holds(schema::causes))
    data.causes = read_causes(profile, data.first.summary, selection);
  if (read_links) add_links(data, profile, selection, read_links);
  return data;
}

}  // namespace mpisee_through
