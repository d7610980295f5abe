#include "report/report_data.hpp"

#include <utility>

#include "profile/schema.hpp"

namespace mpisee_through {

ReportData read_report_data(Profile const& profile) {
  namespace schema = commprof::schema;
  Selection const everything;
  Summary by_operation = summarise(profile, everything, Detail::operations);
  Summary by_size = summarise(profile, everything, Detail::message_sizes);
  ShownCommunicators communicators(by_operation, most_communicators);
  BinnedTimes ranks = add_up_rank_times(profile, by_operation, communicators);
  std::optional<PairSums> pairs;
  if (profile.holds(schema::peers)) pairs = add_up_pairs(profile, communicators);
  std::optional<Regions> regions;
  if (profile.holds(schema::regions)) regions = add_up_regions(profile, everything);
  return {std::move(by_operation), std::move(by_size), std::move(communicators),
          std::move(ranks),        std::move(pairs),   std::move(regions)};
}

}  // namespace mpisee_through
