#include "report/report_data.hpp"

#include <utility>

#include "profile/schema.hpp"

namespace mpisee_through {

ReportData read_report_data(Profile const& profile, Selection const& selection) {
  namespace schema = commprof::schema;
  Summary summary = summarise(profile, selection, Detail::operations_and_sizes);
  ShownCommunicators communicators(summary, most_communicators);
  BinnedTimes ranks = add_up_rank_times(profile, selection, summary, communicators);
  ReportData data{.selection = describe(selection),
                  .summary = std::move(summary),
                  .communicators = std::move(communicators),
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
