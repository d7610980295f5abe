#include "summary/summary.hpp"

#include <algorithm>

namespace mpisee_through {

Totals& Totals::operator+=(Totals const& other) {
  calls += other.calls;
  bytes_sent += other.bytes_sent;
  bytes_received += other.bytes_received;
  time_s += other.time_s;
  return *this;
}

SharesOfSize shares_of(Totals const& one, Totals const& all) {
  return {all.time_s > 0 ? std::optional(one.time_s / all.time_s) : std::nullopt,
          all.bytes() > 0 ? std::optional(static_cast<double>(one.bytes()) / static_cast<double>(all.bytes()))
                          : std::nullopt};
}

TotalsByOperation totals_by_operation(CommunicatorSummary const& communicator) {
  TotalsByOperation totals;
  for (OperationSummary const& operation : communicator.operations) totals.add(operation.operation, operation.totals);
  return totals;
}

void TotalsByOperation::add(OperationIndex operation, Totals const& totals) {
  if (totals_.empty() || totals_.back().first != operation) totals_.emplace_back(operation, totals);
  else totals_.back().second += totals;
}

Totals const& TotalsByOperation::at(OperationIndex operation) const {
  return std::ranges::lower_bound(totals_, operation, {}, &std::pair<OperationIndex, Totals>::first)->second;
}

double CommunicatorSummary::mean_s(OperationSummary const& operation) const {
  return ranks == 0 ? 0 : operation.totals.time_s / static_cast<double>(ranks);
}

double CommunicatorSummary::min_s(OperationSummary const& operation) const {
  return operation.spread.ranks() < ranks ? 0 : operation.spread.min_s();
}

std::optional<double> Summary::share_of_mpi(Totals const& part) const {
  if (operations_s <= 0) return std::nullopt;
  return part.time_s / operations_s;
}

std::optional<double> Summary::share_of_wall(Totals const& part) const {
  return wall_s > 0 ? std::optional(part.time_s / wall_s) : std::nullopt;
}

}  // namespace mpisee_through
