#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "findings/processors.hpp"
#include "findings/rules.hpp"
#include "findings/thresholds.hpp"
#include "findings/unevenness.hpp"
#include "summary/operation_kind.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

// The busy ranks and the others.
struct Halves {
  std::vector<std::uint32_t> busy;
  double busy_s = 0;
  std::uint64_t others = 0;
  double others_s = 0;

  [[nodiscard]] double busy_mean_s() const { return busy_s / static_cast<double>(busy.size()); }
  [[nodiscard]] double others_mean_s() const {
    return others_s / static_cast<double>(std::max<std::uint64_t>(others, 1));
  }
};

Halves halve(Summary const& summary) {
  Halves halves{.busy = busy_ranks(summary)};
  halves.others = summary.ranks.size() - halves.busy.size();
  for (RankSummary const& one : summary.ranks) {
    auto const rank = static_cast<std::uint32_t>(one.rank);
    double& sum_s = std::ranges::binary_search(halves.busy, rank) ? halves.busy_s : halves.others_s;
    sum_s += summary.times_of_rank[rank].useful_s();
  }
  return halves;
}

}  // namespace

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

std::vector<Finding> find_uneven_work(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  Efficiency const& efficiency = summary.efficiency;
  if (!evidence.whole_ranks || !has_uneven_work(efficiency)) return {};
  // Waiting for a processor makes work look longer.
  double const lost =
      lost_to_uneven_work(efficiency) - ProcessorWaits(summary).of_busiest(summary.ranks, &ProcessorWaits::outside);
  if (lost < thresholds::lost_to_uneven) return {};

  Halves const halves = halve(summary);
  std::string const busy = ranks_in_words(halves.busy);
  bool const is_one = halves.busy.size() == 1;
  std::string fact = fmt::format(
      "Load balance is {}: outside MPI, {} {} {}{}, the other{} {}{}.", format_share(efficiency.load_balance()), busy,
      is_one ? "spends" : "spend", format_seconds(halves.busy_mean_s()), is_one ? "" : " on average",
      halves.others == 1 ? "" : "s", format_seconds(halves.others_mean_s()), halves.others == 1 ? "" : " on average");
  return {{
      .rule = {},
      .weight = lost,
      .fact = fact,
      .options = "--ranks --top 10",
      .advice = fmt::format("move work from {} to the others; if all have equal work, compare hosts and what "
                            "the ranks do outside MPI.",
                            busy),
      .late_ranks = halves.busy,
  }};
}

}  // namespace mpisee_through
