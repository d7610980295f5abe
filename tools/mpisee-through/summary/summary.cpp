#include "summary/summary.hpp"

namespace mpisee_through {

SharesOfSize shares_of(Totals const& one, Totals const& all) {
  return {share_of(one.time_s, all.time_s), share_of(one.bytes(), all.bytes())};
}

double CommunicatorSummary::mean_s(Cell const& operation) const {
  return ranks == 0 ? 0 : operation.totals.time_s / static_cast<double>(ranks);
}

double CommunicatorSummary::min_s(Cell const& operation) const {
  return operation.spread && operation.spread->ranks() >= ranks ? operation.spread->min_s() : 0;
}

Cell const* Summary::operation(CommunicatorIndex communicator, OperationIndex operation) const {
  auto const found = cells_of(operations(), communicator, operation);
  return found.empty() ? nullptr : &found.front();
}

std::optional<double> Summary::share_of_mpi(Totals const& part) const { return share_of(part.time_s, operations_s); }

std::optional<double> Summary::share_of_wall(Totals const& part) const { return share_of(part.time_s, threads_wall_s); }

}  // namespace mpisee_through
