// The sums of a part of a file. operations.csv and summary.csv give equal sums for the same calls.
#pragma once

#include <span>
#include <vector>

#include "summary/group_by.hpp"
#include "summary/name_tables.hpp"
#include "summary/row_filter.hpp"

namespace mpisee_through {

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
