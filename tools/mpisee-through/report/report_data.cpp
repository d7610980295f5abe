#include "report/report_data.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "profile/schema.hpp"
#include "report/rank_waits.hpp"

namespace mpisee_through {

namespace {

constexpr std::string_view only_sums =
    "The profile holds sums over ranks, and the rows of some (COMMPROF_DETAIL=summary).";

}  // namespace

ReportData read_report_data(Profile const& profile, Selection const& selection) {
  namespace schema = commprof::schema;
  FirstScreen first = look_at(profile, selection, RegionTimes::inclusive, Detail::operations_and_sizes);
  ShownCommunicators communicators(first.summary, most_communicators);
  SiteSums sites = add_up_sites(first.summary, communicators, most_sites, most_site_parts);
  std::vector<double> const waited_s =
      profile.run().has_only_sums() ? first.summary.waiting_of_rank : seconds_waited(profile);
  BinnedTimes ranks = add_up_rank_times(profile, selection, first.summary, communicators, waited_s);
  ReportData data{.selection = describe(selection),
                  .first = std::move(first),
                  .communicators = std::move(communicators),
                  .sites = std::move(sites),
                  .ranks = std::move(ranks)};
  bool const of_calls = !selection.operations.empty() || !selection.kinds.empty() || !selection.sites.empty();
  if (of_calls)
    data.no_pairs = "Messages do not say which call sent them, so those of some calls alone cannot be shown.";
  else if (!has_rows_of(profile.run(), selection)) data.no_pairs = std::string(only_sums);
  else if (profile.holds(schema::peers)) data.pairs = add_up_pairs(profile, selection, data.communicators);
  if (of_calls || !selection.communicators.empty() || selection.sizes)
    data.no_regions = "Times of regions are known as a whole, not by communicator, call or size.";
  else if (!has_rows_of(profile.run(), selection)) data.no_regions = std::string(only_sums);
  else if (profile.holds(schema::regions)) data.regions = add_up_regions(profile, selection);
  return data;
}

}  // namespace mpisee_through
