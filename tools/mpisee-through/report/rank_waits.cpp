#include "report/rank_waits.hpp"

namespace mpisee_through {

std::vector<double> seconds_waited(Profile const& profile) {
  std::vector<double> seconds;
  if (!profile.holds(commprof::schema::waits_by_rank)) return seconds;
  RankWaitRows rows(profile);
  while (RankWaitRow const* const row = rows.next()) {
    auto const rank = static_cast<std::size_t>(row->rank);
    if (rank >= profile.run().ranks) continue;
    seconds.resize(profile.run().ranks);
    seconds[rank] += row->wait_s;
  }
  return seconds;
}

}  // namespace mpisee_through
