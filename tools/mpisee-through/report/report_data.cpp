#include "report/report_data.hpp"

#include <utility>

#include "profile/schema.hpp"
#include "report/rank_waits.hpp"

namespace mpisee_through {

ReportData read_report_data(Profile const& profile, Selection const& selection) {
  namespace schema = commprof::schema;
  FirstScreen first = look_at(profile, selection);
  ShownCommunicators communicators(first.summary, most_communicators);
  SiteSums sites = add_up_sites(first.summary, communicators, most_sites, most_site_parts);
  BinnedTimes ranks = add_up_rank_times(profile, selection, first.summary, communicators, seconds_waited(profile));
  ReportData data{.selection = describe(selection),
                  .first = std::move(first),
                  .communicators = std::move(communicators),
                  .sites = std::move(sites),
                  .ranks = std::move(ranks)};
  bool const of_calls = !selection.operations.empty() || !selection.kinds.empty() || !selection.sites.empty();
  if (of_calls)
    data.no_pairs = "Messages do not say which call sent them, so those of some calls alone cannot be shown.";
  else if (profile.holds(schema::peers)) data.pairs = add_up_pairs(profile, selection, data.communicators);
  if (of_calls || !selection.communicators.empty() || selection.sizes)
    data.no_regions = "Times of regions are known as a whole, not by communicator, call or size.";
  else if (profile.holds(schema::regions)) data.regions = add_up_regions(profile, selection);
  return data;
}

}  // namespace mpisee_through
