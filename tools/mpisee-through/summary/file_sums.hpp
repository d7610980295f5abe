// The sums of a file's rows, in parts. operations.csv and summary.csv give equal sums for the same calls.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "summary/name_tables.hpp"
#include "summary/summary.hpp"

namespace mpisee_through {

struct CommunicatorSums {
  Totals totals{};
  RankSpread spread{};
  std::uint64_t callers = 0;  // ranks that called any operation on it, selected or not
  std::vector<OperationSummary> operations{};
};

struct FileSums {
  Totals all{};                      // over all rows
  Seconds operations_s{};            // over rows of selected ranks
  bool summary_csv_suffices = true;  // false if these rows cannot answer the question
  std::vector<std::pair<CommunicatorIndex, CommunicatorSums>> communicators{};  // each communicator once
  std::map<std::pair<CallSiteIndex, OperationIndex>, RankSpread> site_spreads{};
  std::map<SizeBin, Totals> sizes_with_data{};  // only from summary.csv
  // The communicators on which an operation is called at a site: how many, how many of them are selected, and the
  // spread of the selected one if there is only one.
  struct SiteCalls {
    std::size_t communicators = 0, selected = 0;
    RankSpread spread{};
  };
  std::map<std::pair<CallSiteIndex, OperationIndex>, SiteCalls> sites_on_communicators{};
};

// Adds `other`. False on overflow.
[[nodiscard]] inline bool add_up(Totals& totals, Totals const& other) {
  std::uint64_t bytes = 0;
  totals.time_s += other.time_s;
  return !__builtin_add_overflow(totals.calls, other.calls, &totals.calls) &&
         !__builtin_add_overflow(totals.bytes_sent, other.bytes_sent, &totals.bytes_sent) &&
         !__builtin_add_overflow(totals.bytes_received, other.bytes_received, &totals.bytes_received) &&
         !__builtin_add_overflow(totals.bytes_sent, totals.bytes_received, &bytes) && totals.time_s.is_countable();
}

template <class Row>
[[nodiscard]] Totals totals_of(Row const& row) {
  return {row.calls, row.bytes_sent, row.bytes_received, row.time_s};
}

// Reads the file to its end with all threads. Returns parts in the order of the file. Also fills the summary's ranks.
// Throws ProfileError.
[[nodiscard]] std::vector<FileSums> add_up_operations(Profile const& profile, Selection const& selection,
                                                      Summary& summary, NameTables& tables);
// Reads summary.csv in the same way.
[[nodiscard]] std::vector<FileSums> add_up_sums(Profile const& profile, Selection const& selection,
                                                Summary const& summary, NameTables& tables);

}  // namespace mpisee_through
