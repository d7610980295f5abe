#include "findings/unevenness.hpp"

#include "findings/thresholds.hpp"

namespace mpisee_through {

double lost_to_uneven_work(Efficiency const& efficiency) {
  if (efficiency.wall_max_s() <= 0) return 0;
  return (efficiency.useful_max_s() - efficiency.useful_mean_s()) / efficiency.wall_max_s();
}

bool has_uneven_work(Efficiency const& efficiency) {
  if (efficiency.ranks() < 2 || !efficiency.load_balance()) return false;
  return *efficiency.load_balance() < thresholds::load_balance &&
         lost_to_uneven_work(efficiency) >= thresholds::lost_to_uneven;
}

std::vector<std::uint32_t> busy_ranks(Summary const& summary) {
  double const limit_s = (summary.efficiency.useful_mean_s() + summary.efficiency.useful_max_s()) / 2;
  std::vector<std::uint32_t> busy;
  for (RankSummary const& one : summary.ranks) {
    auto const rank = static_cast<std::uint32_t>(one.rank);
    if (summary.times_of_rank[rank].useful_s() > limit_s) busy.push_back(rank);
  }
  return busy;
}

bool differ_much(double min_s, double max_s) { return max_s > 0 && max_s >= thresholds::slow_to_fast * min_s; }

}  // namespace mpisee_through
