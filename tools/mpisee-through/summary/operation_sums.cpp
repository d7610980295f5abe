// Sums the rows of operations.csv.
#include "reader/read_parts.hpp"
#include "summary/file_sums.hpp"

namespace mpisee_through {

CellKey CellSums::key_of(CellKey const& call) const {
  return {.communicator = is_by(by_comm) ? call.communicator : CommunicatorIndex{},
          .operation = is_by(by_op) ? call.operation : OperationIndex{},
          .size = is_by(by_size) ? call.size : SizeBin{},
          .site = is_by(by_site) ? call.site : CallSiteIndex{},
          .rank = is_by(by_rank) ? call.rank : WorldRank{}};
}

std::pair<Cell&, bool> CellSums::find(CellKey const& key) {
  if (!cells_.empty() && key == cells_[last_].key()) return {cells_[last_], false};
  auto const [place, is_new] = places_.try_emplace(key, cells_.size());
  last_ = place->second;
  if (is_new) cells_.push_back({key});
  return {cells_[last_], is_new};
}

void CellSums::add_row(Cell const& row) {
  auto const [cell, is_new] = find(key_of(row));
  cell.add_calls(row);
  if (!list_.has_spread()) return;
  if (is_new) {
    cell.spread.emplace();
    latest_.push_back({row.rank, {}});
  }
  OfRank& latest = latest_[last_];
  if (latest.rank != row.rank) {
    end_rank(cell, latest);
    latest = {row.rank, {}};
  }
  latest.time_s += row.totals.time_s;
}

void CellSums::end_rank(Cell& cell, OfRank const& latest) {
  cell.spread->append({1, {latest.time_s, latest.rank}, {latest.time_s, latest.rank}});
}

void CellSums::add_sum(Cell const& sum) {
  // Few calls are on two communicators of one name, and are joined later.
  auto const [cell, is_new] =
      is_by(by_comm) ? std::pair<Cell&, bool>(cells_.emplace_back(Cell{key_of(sum)}), true) : find(key_of(sum));
  cell.add_calls(sum);
  if (is_new && list_.has_spread()) cell.spread = sum.spread;
  else cell.spread.reset();
}

Cells& CellSums::cells() {
  if (list_.has_spread())
    for (std::size_t i = 0; i < latest_.size(); ++i) end_rank(cells_[i], latest_[i]);
  latest_ = {};
  places_ = {};
  return cells_;
}

void CellSums::append(CellSums&& other) {
  Cells& mine = cells();
  Cells& others = other.cells();
  if (mine.empty()) mine.swap(others);
  else mine.insert(mine.end(), others.begin(), others.end());
  others = {};
}

FileSums::FileSums(std::span<CellList const> asked) {
  for (CellList const list : asked) lists.emplace_back(list);
}

void FileSums::append(FileSums&& later) {
  for (std::size_t i = 0; i < lists.size(); ++i) lists[i].append(std::move(later.lists[i]));
  of_all_calls.append(std::move(later.of_all_calls));
  on_all_communicators.append(std::move(later.on_all_communicators));
  not_selected.append(std::move(later.not_selected));
}

std::vector<FileSums> add_up_operations(Profile const& profile, Selection const& selection,
                                        std::span<CellList const> lists, NameTables& tables) {
  Keys keys = 0;
  for (CellList const list : lists) keys |= list.keys;
  return read_in_parts<OperationRows>(profile, [&](OperationRows& rows) {
    FileSums sums(lists);
    NamesOfPart names(tables, selection);
    while (OperationRow const* row = rows.next()) {
      NameTables::Communicator const& communicator = names.communicator(row->communicator, row->communicator_size);
      NameTables::Operation const& operation = names.operation(row->operation);
      // Each filter sees each row, so that it knows which patterns match nothing.
      bool const in_region = names.selects_region(row->region), at_site = names.selects_site(row->site);
      Cell cell{{communicator.index, operation.index, row->size, {}, row->rank},
                totals_of(*row),
                row->shortest_s,
                row->longest_s};
      if (!sums.all.add(total_of(*row))) rows.fail(beyond_counting);
      if (!selection.selects(row->rank)) continue;
      sums.of_all_calls.add_row(cell);
      if (!in_region || !at_site || !communicator.selected || !operation.selected || !selection.selects(row->size))
        continue;
      if ((keys & by_site) != 0) cell.site = names.site(row->site);
      for (CellSums& list : sums.lists)
        if (list.keys() != by_size) list.add_row(cell);  // else it follows from other cells
    }
    return sums;
  });
}

}  // namespace mpisee_through
