#include "finalize/own_summary.hpp"

#include <algorithm>

#include "base/dropped.hpp"
#include "finalize/waits_exchange.hpp"

namespace commprof {

RunSummary summary_of(Contents const& contents, OwnPairs const& pairs) {
  RunSummary summary;
  summary.wall_ns = contents.rows.rate.to_ns(contents.rows.wall);
  summary.all_us = summary.wall_ns / 1000;
  summary.mpi_us = contents.rows.rate.to_ns(contents.rows.records.total_time()) / 1000;
  summary.messages = pairs.totals();
  std::copy(dropped::counts->dropped.begin(), dropped::counts->dropped.end(), summary.dropped.begin());
  std::copy(dropped::counts->folded.begin(), dropped::counts->folded.end(), summary.folded.begin());
  summary.dropped[static_cast<std::size_t>(Dropped::requests_unfinished)] += contents.unfinished.count();
  summary.dropped[static_cast<std::size_t>(Dropped::records)] +=
      contents.unfinished.lost_calls() + contents.rows.records.lost_calls();
  summary.dropped[static_cast<std::size_t>(Dropped::messages)] += contents.rows.peers.lost_messages();
  summary.dropped[static_cast<std::size_t>(Dropped::communicator_names)] += names_in_doubt(contents.waits);
  if (contents.rows.has_waits) count_calls_without_waits(contents.rows, summary);
  return summary;
}

}  // namespace commprof
