#include "findings/highlights.hpp"

#include <algorithm>

namespace mpisee_through {

std::optional<CostliestCall> find_costliest_call(Summary const& summary) {
  std::optional<CostliestCall> most;
  double most_s = 0;
  for (std::size_t i = 0; i < summary.communicators.size(); ++i) {
    if (summary.communicators[i].totals.time_s <= most_s) continue;
    for (OperationSummary const& operation : summary.communicators[i].operations) {
      if (operation.totals.time_s <= most_s) continue;
      most_s = operation.totals.time_s;
      most = {static_cast<CommunicatorIndex>(i), &operation};
    }
  }
  return most;
}

std::optional<BusiestPair> find_busiest_pair(MessageSums const& messages) {
  PairTraffic const* busiest = nullptr;
  for (PairTraffic const& one : messages.pairs)
    if (one.from != one.to && one.amount.bytes > (busiest == nullptr ? 0 : busiest->amount.bytes)) busiest = &one;
  if (busiest == nullptr) return std::nullopt;
  auto const is_alike = [&](PairTraffic const& one) {
    return one.from != one.to && 100 * (busiest->amount.bytes - one.amount.bytes) <= busiest->amount.bytes;
  };
  auto const alike = static_cast<std::uint64_t>(std::ranges::count_if(messages.pairs, is_alike)) - 1;
  return BusiestPair{*busiest, messages.total, alike};
}

std::optional<MainSizes> find_main_sizes(Summary const& summary) {
  Totals all;
  for (SizeTotals const& one : summary.sizes_with_data) all += one.totals;
  if (all.time_s <= 0) return std::nullopt;
  auto const by_time =
      std::ranges::max_element(summary.sizes_with_data, {}, [](SizeTotals const& one) { return one.totals.time_s; });
  auto const by_bytes =
      std::ranges::max_element(summary.sizes_with_data, {}, [](SizeTotals const& one) { return one.totals.bytes(); });
  return MainSizes{{by_time->size, *shares_of(by_time->totals, all).time},
                   {by_bytes->size, *shares_of(by_bytes->totals, all).bytes}};
}

}  // namespace mpisee_through
