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
  return {share_of(one.time_s, all.time_s), share_of(one.bytes(), all.bytes())};
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

std::optional<double> Summary::share_of_mpi(Totals const& part) const { return share_of(part.time_s, operations_s); }

std::optional<double> Summary::share_of_wall(Totals const& part) const { return share_of(part.time_s, threads_wall_s); }

}  // namespace mpisee_through
