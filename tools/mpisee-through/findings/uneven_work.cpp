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

// An operation in which the others probably wait for a busy rank.
struct UnevenWaiting {
  CommOperation place;
  CommunicatorSummary const* communicator;
  OperationSummary const* operation;
};

// Guesses waiting as the time beyond that of the fastest rank; this must be a busy rank, because the rank that arrives
// last does not wait. Where waiting is measured, it has findings of its own.
class WaitGuesser {
 public:
  WaitGuesser(Evidence const& evidence, std::vector<std::uint32_t> const& busy) : evidence_(evidence), busy_(busy) {}

  std::optional<UnevenWaiting> guess() const {
    Summary const& summary = evidence_.summary;
    std::optional<UnevenWaiting> most;
    double most_s = thresholds::lost_to_uneven * summary.threads_wall_s;
    for (std::size_t i = 0; i < summary.communicators.size(); ++i) {
      CommunicatorSummary const& communicator = summary.communicators[i];
      for (OperationSummary const& operation : communicator.operations) {
        CommOperation const place{static_cast<CommunicatorIndex>(i), operation.operation};
        double const lost_s = guessed_s(communicator, operation);
        if (lost_s <= most_s || !evidence_.waits.at(place.communicator, place.operation).empty()) continue;
        most_s = lost_s;
        most = UnevenWaiting{place, &communicator, &operation};
      }
    }
    return most;
  }

 private:
  [[nodiscard]] double guessed_s(CommunicatorSummary const& communicator, OperationSummary const& operation) const {
    RankSpread const& spread = operation.spread;
    bool const is_of_all = spread.ranks() >= std::max<std::uint64_t>(communicator.ranks, 2) &&
                           synchronises_all(evidence_.summary.name_of(operation.operation));
    if (!is_of_all || !std::ranges::binary_search(busy_, static_cast<std::uint32_t>(spread.min().rank))) return 0;
    return operation.totals.time_s - static_cast<double>(spread.ranks()) * spread.min_s();
  }

  Evidence const& evidence_;
  std::vector<std::uint32_t> const& busy_;
};

std::string describe_waiting(Summary const& summary, UnevenWaiting const& waiting) {
  RankSpread const& spread = waiting.operation->spread;
  double const others_s = (waiting.operation->totals.time_s - spread.min_s()) / static_cast<double>(spread.ranks() - 1);
  return fmt::format(" In {} on {}, rank {} spends {}, the others {} on average: it arrives last.",
                     summary.name_of(waiting.place.operation), waiting.communicator->name,
                     static_cast<std::uint32_t>(spread.min().rank), format_seconds(spread.min_s()),
                     format_seconds(others_s));
}

}  // namespace

std::vector<Finding> find_uneven_work(Evidence const& evidence) {
  Summary const& summary = evidence.summary;
  Efficiency const& efficiency = summary.efficiency;
  if (!evidence.whole_ranks || !has_uneven_work(efficiency)) return {};
  // Waiting for a processor makes work look longer.
  double const lost = lost_to_uneven_work(efficiency) - ProcessorWaits(summary).of_busiest(summary.ranks);
  if (lost < thresholds::lost_to_uneven) return {};

  Halves const halves = halve(summary);
  std::string const busy = ranks_in_words(halves.busy);
  bool const is_one = halves.busy.size() == 1;
  std::string fact = fmt::format(
      "Load balance is {}: outside MPI, {} {} {}{}, the other{} {}{}.", format_share(efficiency.load_balance()), busy,
      is_one ? "spends" : "spend", format_seconds(halves.busy_mean_s()), is_one ? "" : " on average",
      halves.others == 1 ? "" : "s", format_seconds(halves.others_mean_s()), halves.others == 1 ? "" : " on average");
  auto const waiting = WaitGuesser(evidence, halves.busy).guess();
  if (waiting) fact += describe_waiting(summary, *waiting);
  Finding finding{
      .rule = {},
      .weight = lost,
      .fact = fact,
      .options = "--ranks --top 10",
      .advice = fmt::format("move work from {} to the others; if all have equal work, compare hosts and what "
                            "the ranks do outside MPI.",
                            busy),
      .late_ranks = halves.busy};
  if (waiting) {
    finding.places = {waiting->place};
    finding.options = fmt::format("--ranks {} {}", option_of_communicator(waiting->communicator->name),
                                  option("--op", summary.name_of(waiting->place.operation)));
  }
  return {finding};
}

}  // namespace mpisee_through
