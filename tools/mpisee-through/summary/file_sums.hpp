// The sums of a part of a file. operations.csv and summary.csv give equal sums for the same calls.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "reader/group_by.hpp"
#include "summary/selection.hpp"
#include "summary/summary.hpp"

namespace mpisee_through {

// Makes one list of cells.
class CellSums {
 public:
  // Whether sums with the same keys are of other ranks, ascending; else the spread of their sum is unknown.
  enum class Ranks : std::uint8_t { ascending, any };

  CellSums(CellList list, Ranks ranks) : list_(list), ranks_(ranks) {}

  // Adds calls of one rank. Ranks come one after another.
  void add_row(Cell const& row);
  // Adds a sum over ranks, by the list's keys.
  void add_sum(Cell const& sum);
  // Adds the calls of another part of the file.
  void append(CellSums&& later);
  // Takes spreads that are unknown here from cells with the same keys.
  void complete_spreads(Cells const& known);
  // Leaves this object empty. change_key: changes the key of a cell to one that no other gets.
  [[nodiscard]] Cells take(std::function<void(CellKey&)> const& change_key = {});

  [[nodiscard]] Keys keys() const { return list_.keys; }
  [[nodiscard]] bool is_by(Keys key) const { return (list_.keys & key) != 0; }
  [[nodiscard]] bool has_spread() const { return list_.has_spread(); }

 private:
  // The time of the latest rank in a cell, so far.
  struct OfRank {
    WorldRank rank;
    Seconds time_s;
  };

  [[nodiscard]] CellKey key_of(CellKey const& call) const;
  // The place of the cell with this key, which is made if it is new.
  std::size_t place_of(CellKey const& key);
  void grow();
  void end_ranks();

  CellList list_;
  Ranks ranks_;
  Cells cells_;
  std::vector<OfRank> latest_;        // of each cell, until end_ranks(); only of rows
  std::vector<std::uint32_t> slots_;  // a hash table of places; 0 is empty, 1 is the first cell
  std::size_t last_ = 0;              // the cell found last, because rows of one cell are often adjacent
};

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
  void add_instance(CommunicatorSummary& known, CommunicatorRow const& row, Rows<CommunicatorRow>& rows);
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
// Reads summary.csv in the same way.
[[nodiscard]] std::vector<FileSums> add_up_sums(Profile const& profile, Selection const& selection,
                                                std::span<CellList const> lists, Summary const& summary,
                                                FileSums const& empty, NameTables& tables);

}  // namespace mpisee_through
