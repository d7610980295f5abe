#include "report/rank_waits.hpp"

#include "summary/group_by.hpp"
#include "summary/sorted_sums.hpp"

namespace mpisee_through {

std::vector<double> seconds_waited(Profile const& profile) {
  std::vector<double> seconds;
  if (!profile.holds(commprof::schema::waits_by_rank)) return seconds;
  auto sums = group_by<RankWaitRow>(
      profile, every_row, Grouping(&RankWaitRow::rank, &RankWaitRow::wait_s, SortedSums<WorldRank, Seconds>()));
  for (auto const& [rank, wait_s] : sums.take()) {
    seconds.resize(profile.run().ranks);
    seconds[static_cast<std::size_t>(rank)] = wait_s;
  }
  return seconds;
}

}  // namespace mpisee_through
