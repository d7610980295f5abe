#include "findings/highlights.hpp"

#include <algorithm>
#include <map>

namespace mpisee_through {

std::optional<CostliestCall> find_costliest_call(Summary const& summary) {
  std::optional<CostliestCall> most;
  double most_s = 0;
  for (std::size_t i = 0; i < summary.communicators.size(); ++i) {
    for (OperationSummary const& operation : summary.communicators[i].operations) {
      if (operation.totals.time_s <= most_s) continue;
      most_s = operation.totals.time_s;
      most = {static_cast<CommunicatorIndex>(i), &operation};
    }
  }
  return most;
}

std::optional<BusiestPair> find_busiest_pair(Profile const& profile, Selection const& selection) {
  bool const is_answered =
      selection.operations.empty() && selection.kinds.empty() && selection.sites.empty() && !selection.sizes;
  if (!is_answered || !profile.holds(commprof::schema::peers)) return std::nullopt;
  Traffic const traffic = add_up_traffic(profile, selection, Detail::operations);
  auto const busiest =
      std::ranges::max_element(traffic.pairs, {}, [](PairTraffic const& one) { return one.amount.bytes; });
  if (busiest == traffic.pairs.end() || busiest->amount.bytes == 0) return std::nullopt;
  auto const is_alike = [&](PairTraffic const& one) {
    return 100 * (busiest->amount.bytes - one.amount.bytes) <= busiest->amount.bytes;
  };
  auto const alike = static_cast<std::uint64_t>(std::ranges::count_if(traffic.pairs, is_alike)) - 1;
  return BusiestPair{*busiest, traffic.total, alike};
}

std::optional<MainSizes> find_main_sizes(Summary const& summary) {
  std::map<SizeBin, Totals> sizes;
  Totals all;
  for (CommunicatorSummary const& communicator : summary.communicators) {
    for (OperationSummary const& operation : communicator.operations) {
      for (SizeTotals const& one : operation.sizes) {
        if (one.totals.bytes() == 0) continue;
        sizes[one.size] += one.totals;
        all += one.totals;
      }
    }
  }
  if (all.time_s <= 0) return std::nullopt;
  auto const by_time = std::ranges::max_element(sizes, {}, [](auto const& one) { return one.second.time_s; });
  auto const by_bytes = std::ranges::max_element(sizes, {}, [](auto const& one) { return one.second.bytes(); });
  return MainSizes{{by_time->first, *shares_of(by_time->second, all).time},
                   {by_bytes->first, *shares_of(by_bytes->second, all).bytes}};
}

}  // namespace mpisee_through
