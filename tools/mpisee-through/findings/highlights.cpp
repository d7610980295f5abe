#include "findings/highlights.hpp"

#include <algorithm>

namespace mpisee_through {

std::optional<CostliestCall> find_costliest_call(Summary const& summary) {
  std::optional<CostliestCall> most;
  double most_s = 0;
  for (Cell const& operation : summary.operations()) {
    if (operation.totals.time_s <= most_s) continue;
    most_s = operation.totals.time_s;
    most = {operation.communicator, &operation};
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

std::vector<KindTotals> totals_by_kind(Summary const& summary) {
  std::vector<Totals> of_operation(summary.operation_names.size());
  for (Cell const& operation : summary.operations())
    of_operation[static_cast<std::size_t>(operation.operation)] += operation.totals;
  std::vector<KindTotals> kinds;
  for (std::size_t i = 0; i < of_operation.size(); ++i) {
    OperationKind const kind = kind_of(summary.operation_names[i]);
    auto known = std::ranges::find(kinds, kind, &KindTotals::kind);
    if (known == kinds.end()) known = kinds.insert(known, {kind, {}});
    known->totals += of_operation[i];
  }
  std::erase_if(kinds, [](KindTotals const& one) { return one.totals.time_s <= 0; });
  std::ranges::stable_sort(kinds, std::ranges::greater{},
                           [](KindTotals const& one) { return double{one.totals.time_s}; });
  return kinds;
}

std::optional<MainSizes> find_main_sizes(Summary const& summary) {
  Totals all;
  Cells const& sizes = summary.cells(by_size);
  for (Cell const& one : sizes) all += one.totals;
  if (all.time_s <= 0) return std::nullopt;
  auto const by_time = std::ranges::max_element(sizes, {}, [](Cell const& one) { return one.totals.time_s; });
  auto const by_bytes = std::ranges::max_element(sizes, {}, [](Cell const& one) { return one.totals.bytes(); });
  return MainSizes{{by_time->size, *shares_of(by_time->totals, all).time},
                   {by_bytes->size, *shares_of(by_bytes->totals, all).bytes},
                   double{all.time_s}};
}

}  // namespace mpisee_through
