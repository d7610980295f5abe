#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// The share of the longest wall time by which the busiest rank computes longer than the mean; 0 if no time passed.
double lost_to_uneven_work(Efficiency const& efficiency) {
  return share_of(efficiency.useful_max_s() - efficiency.useful_mean_s(), efficiency.wall_max_s()).value_or(0);
}

bool has_uneven_work(Efficiency const& efficiency) {
  return efficiency.ranks() > 1 && efficiency.load_balance().value_or(1) < thresholds::load_balance &&
         lost_to_uneven_work(efficiency) >= thresholds::worth_trying;
}

}  // namespace

std::vector<Finding> find_uneven_work(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  Efficiency const& efficiency = summary.efficiency;
  if (!evidence.whole_ranks || !has_uneven_work(efficiency)) return {};
  // Waiting for a processor makes work look longer.
  double const lost = lost_to_uneven_work(efficiency) - evidence.processors.outside_of_busiest(summary.ranks);
  if (lost < thresholds::worth_trying) return {};
  std::vector<std::uint32_t> const busy = busy_ranks(summary);
  double busy_s = 0, others_s = 0;
  for (RankSummary const& one : summary.ranks) {
    auto const rank = static_cast<std::uint32_t>(one.rank);
    (std::ranges::binary_search(busy, rank) ? busy_s : others_s) += summary.times_of_rank[rank].useful_s();
  }
  std::size_t const others = std::max<std::size_t>(summary.ranks.size() - busy.size(), 1);
  auto const mean = [](double sum_s, std::size_t ranks) {
    return fmt::format("{}{}", format_seconds(sum_s / static_cast<double>(ranks)), ranks == 1 ? "" : " on average");
  };
  std::string const who = ranks_in_words(busy);
  return {{.rule = {},
           .saving = lost,
           .fact = fmt::format("Load balance is {}: outside MPI, {} {} {}, the other{} {}.",
                               format_share(efficiency.load_balance()), who, busy.size() == 1 ? "spends" : "spend",
                               mean(busy_s, busy.size()), others == 1 ? "" : "s", mean(others_s, others)),
           .options = "--ranks --top 10",
           .advice = fmt::format("move work from {} to the others; if all have equal work, compare hosts and what the "
                                 "ranks do outside MPI.",
                                 who),
           .late_ranks = busy}};
}

}  // namespace mpisee_through
