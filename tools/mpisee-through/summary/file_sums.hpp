// The sums of a part of a file. operations.csv and summary.csv give equal sums for the same calls.
#pragma once

#include <cstddef>
#include <span>
#include <unordered_map>
#include <vector>

#include "summary/group_by.hpp"
#include "summary/name_tables.hpp"
#include "summary/summary.hpp"

namespace mpisee_through {

// Makes one list of cells.
class CellSums {
 public:
  explicit CellSums(CellList list) : list_(list) {}

  // Adds calls of one rank. Ranks come one after another.
  void add_row(Cell const& row);
  // Adds a sum over ranks. Two with the same keys have no spread.
  void add_sum(Cell const& sum);
  // Adds the calls of another part of the file.
  void append(CellSums&& other);

  [[nodiscard]] Keys keys() const { return list_.keys; }
  [[nodiscard]] bool is_by(Keys key) const { return (list_.keys & key) != 0; }
  [[nodiscard]] bool has_spread() const { return list_.has_spread(); }
  [[nodiscard]] Cells& cells();

 private:
  // The time of the latest rank in a cell, so far.
  struct OfRank {
    WorldRank rank;
    Seconds time_s;
  };

  [[nodiscard]] CellKey key_of(CellKey const& call) const;
  // The cell with this key, and whether it is new.
  std::pair<Cell&, bool> find(CellKey const& key);
  static void end_rank(Cell& cell, OfRank const& latest);

  CellList list_;
  Cells cells_;
  std::vector<OfRank> latest_;  // of each cell, until cells() is called; only of rows
  std::unordered_map<CellKey, std::size_t, CellKey::Hash> places_;
  std::size_t last_ = 0;  // the cell found last, because rows of one cell are often adjacent
};

struct FileSums {
  explicit FileSums(std::span<CellList const> asked);
  // Calls add(cells) with each list.
  template <class Add>
  void for_each(Add add) {
    for (CellSums& list : lists) add(list);
    for (CellSums* const one : {&of_all_calls, &on_all_communicators, &not_selected}) add(*one);
  }
  void append(FileSums&& later);

  RowTotal all{};                    // over all rows
  std::vector<CellSums> lists;       // the selected calls, as asked for
  CellSums of_all_calls{{by_comm}};  // of the selected ranks, selected or not
  // Only in summary.csv, where a call site is used on several communicators: sums over all of these, and the sums on
  // communicators that are not selected.
  CellSums on_all_communicators{{by_op | by_site}}, not_selected{{by_op | by_site}};
};

template <class Row>
[[nodiscard]] Totals totals_of(Row const& row) {
  return {row.calls, row.bytes_sent, row.bytes_received, row.time_s};
}

// Reads the file to its end with all threads. Returns parts in the order of the file. Throws ProfileError.
[[nodiscard]] std::vector<FileSums> add_up_operations(Profile const& profile, Selection const& selection,
                                                      std::span<CellList const> lists, NameTables& tables);
// Reads summary.csv in the same way, and sizes.csv.
[[nodiscard]] std::vector<FileSums> add_up_sums(Profile const& profile, Selection const& selection,
                                                std::span<CellList const> lists, Summary const& summary,
                                                NameTables& tables);

}  // namespace mpisee_through
