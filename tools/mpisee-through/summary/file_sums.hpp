// The sums of a part of a file. operations.csv and summary.csv give equal sums for the same calls.
#pragma once

#include <cstdint>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "summary/group_by.hpp"
#include "summary/selection.hpp"
#include "summary/summary.hpp"

namespace mpisee_through {

// The communicators, operations and call sites of a summary while files are read. Any thread may look them up, as
// spelled in the file.
class NameTables {
 public:
  // Reads communicators.csv into the summary, and adds them to the filter. All arguments must outlive this.
  NameTables(Profile const& profile, Selection const& selection, NameFilter& filter, Summary& summary);

  // A communicator that communicators.csv does not list is added with this size. guess: a likely index, which saves a
  // search.
  [[nodiscard]] CommunicatorIndex communicator(std::string_view text, std::uint64_t size, CommunicatorIndex guess = {});

  NumberedTexts<OperationIndex> operations;
  NumberedTexts<CallSiteIndex> sites;

 private:
  void add_communicator(CommunicatorRow const& row, bool is_selected);
  void add_instance(CommunicatorSummary& known, CommunicatorRow const& row, CommunicatorRows& rows);
  [[nodiscard]] std::uint64_t count_selected(RankSet const& members) const;

  Selection const& selection_;
  Summary& summary_;
  std::mutex mutex_;
  TextMap<CommunicatorIndex> communicator_by_name_;
  TextMap<RankSet> members_of_all_;  // only of communicators with several instances
};

struct FileSums {
  FileSums(std::span<CellList const> asked, CellSums::Ranks ranks, RowFilter of_rows);
  void append(FileSums&& later);
  // Null if it was not asked for.
  [[nodiscard]] CellSums* find(Keys keys);

  RowFilter filter;             // has seen the rows
  RowTotal all{};               // over all rows
  std::vector<CellSums> lists;  // the selected calls, as asked for
  CellSums of_all_calls;        // by communicator, of the selected ranks, selected or not
  CellSums of_sites;            // sums over all communicators; only in summary.csv, for sites used on several
};

// Reads the file to its end with all threads. Returns parts in the order of the file. Throws ProfileError.
[[nodiscard]] std::vector<FileSums> add_up_operations(Profile const& profile, Selection const& selection,
                                                      FileSums const& empty, NameTables& tables);
// Reads summary.csv in the same way, and sizes.csv.
[[nodiscard]] std::vector<FileSums> add_up_sums(Profile const& profile, Selection const& selection,
                                                std::span<CellList const> lists, Summary const& summary,
                                                FileSums const& empty, NameTables& tables);

}  // namespace mpisee_through
