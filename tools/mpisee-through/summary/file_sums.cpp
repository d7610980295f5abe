#include "summary/file_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "files/visible_text.hpp"
#include "reader/profile_reader.hpp"

namespace mpisee_through {

namespace {

std::size_t hash_of(CellKey const& key) {
  std::uint64_t const names =
      static_cast<std::uint64_t>(key.communicator) << 32U | static_cast<std::uint32_t>(key.operation);
  std::uint64_t const detail = key.size.min_bytes + (static_cast<std::uint64_t>(key.site) << 40U) +
                               (static_cast<std::uint64_t>(key.rank) << 16U);
  std::uint64_t const mixed = (names ^ (detail * 0x9e3779b97f4a7c15U)) * 0xff51afd7ed558ccdU;
  return mixed ^ (mixed >> 32U);
}

}  // namespace

CellKey CellSums::key_of(CellKey const& call) const {
  return {.communicator = is_by(by_comm) ? call.communicator : CommunicatorIndex{},
          .operation = is_by(by_op) ? call.operation : OperationIndex{},
          .size = is_by(by_size) ? call.size : SizeBin{},
          .site = is_by(by_site) ? call.site : CallSiteIndex{},
          .rank = is_by(by_rank) ? call.rank : WorldRank{}};
}

std::size_t CellSums::place_of(CellKey const& key) {
  // The rows of one rank are mostly in the order of those of the rank before.
  for (std::size_t const guess : {last_, last_ + 1})
    if (guess < cells_.size() && cells_[guess].key() == key) return last_ = guess;
  if (2 * cells_.size() >= slots_.size()) grow();
  std::size_t slot = hash_of(key) & (slots_.size() - 1);
  for (; slots_[slot] != 0; slot = (slot + 1) & (slots_.size() - 1))
    if (cells_[slots_[slot] - 1].key() == key) return last_ = slots_[slot] - 1;
  cells_.push_back({key});
  slots_[slot] = static_cast<std::uint32_t>(cells_.size());
  return last_ = cells_.size() - 1;
}

void CellSums::grow() {
  constexpr std::size_t least = 64;
  slots_.assign(std::max(least, 2 * slots_.size()), 0);
  for (std::size_t place = 0; place < cells_.size(); ++place) {
    std::size_t slot = hash_of(cells_[place].key()) & (slots_.size() - 1);
    while (slots_[slot] != 0) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = static_cast<std::uint32_t>(place + 1);
  }
}

void CellSums::add_row(Cell const& row) {
  std::size_t const place = place_of(key_of(row));
  cells_[place].add_calls(row);
  if (!has_spread()) return;
  if (place == latest_.size()) latest_.push_back({row.rank, {}});
  OfRank& latest = latest_[place];
  if (latest.rank != row.rank) {
    cells_[place].spread.append({1, latest.time_s, latest.time_s});
    latest = {row.rank, {}};
  }
  latest.time_s += row.totals.time_s;
}

void CellSums::end_ranks() {
  for (std::size_t place = 0; place < latest_.size(); ++place)
    cells_[place].spread.append({1, latest_[place].time_s, latest_[place].time_s});
  latest_ = {};
}

void CellSums::add_sum(Cell const& sum) {
  std::size_t const before = cells_.size(), place = place_of(key_of(sum));
  cells_[place].add_calls(sum);
  if (!has_spread()) return;
  if (place == before || ranks_ == Ranks::ascending) cells_[place].spread.append(sum.spread);
  else cells_[place].spread = {};
}

void CellSums::append(CellSums&& later) {
  end_ranks();
  later.end_ranks();
  for (Cell const& cell : later.cells_) add_sum(cell);
  later = CellSums(later.list_, later.ranks_);
}

void CellSums::complete_spreads(Cells const& known) {
  for (Cell& cell : cells_)
    if (has_spread() && cell.spread.ranks == 0)
      for (Cell const& found : with_key(known, cell.key(), &Cell::key)) cell.spread = found.spread;
}

Cells CellSums::take(std::function<void(CellKey&)> const& change_key) {
  end_ranks();
  slots_ = {};
  if (change_key)
    for (Cell& cell : cells_) change_key(cell);
  if (!std::ranges::is_sorted(cells_, {}, &Cell::key)) std::ranges::sort(cells_, {}, &Cell::key);
  return std::exchange(cells_, {});
}

namespace {

// A cache of one thread in front of the tables, without a lock. Rows of one name are mostly adjacent.
struct NamesOfPart {
  [[nodiscard]] CommunicatorIndex communicator(OperationRow const& row) {
    return communicators.get(row.communicator,
                             [&] { return tables.communicator(row.communicator, row.communicator_size); });
  }
  [[nodiscard]] OperationIndex operation(std::string_view text) {
    return operations.get(text, [&] { return tables.operations.number_of(text); });
  }
  [[nodiscard]] CallSiteIndex site(std::string_view text) {
    return sites.get(text, [&] { return tables.sites.number_of(text); });
  }

  NameTables& tables;
  Memo<CommunicatorIndex> communicators{};
  Memo<OperationIndex> operations{};
  Memo<CallSiteIndex> sites{};
};

template <class Row>
Totals totals_of(Row const& row) {
  return {row.calls, row.bytes_sent, row.bytes_received, row.time_s};
}

}  // namespace

FileSums::FileSums(std::span<CellList const> asked, CellSums::Ranks ranks, RowFilter of_rows)
    : filter(std::move(of_rows)), of_all_calls({by_comm}, ranks), of_sites({by_op | by_site}, ranks) {
  for (CellList const list : asked) lists.emplace_back(list, ranks);
}

void FileSums::append(FileSums&& later) {
  filter.add(later.filter);
  for (std::size_t i = 0; i < lists.size(); ++i) lists[i].append(std::move(later.lists[i]));
  of_all_calls.append(std::move(later.of_all_calls));
  of_sites.append(std::move(later.of_sites));
}

CellSums* FileSums::find(Keys keys) {
  auto const found = std::ranges::find(lists, keys, &CellSums::keys);
  return found == lists.end() ? nullptr : &*found;
}

std::vector<FileSums> add_up_operations(Profile const& profile, Selection const& selection, FileSums const& empty,
                                        NameTables& tables) {
  bool const has_sites = std::ranges::any_of(empty.lists, [](CellSums const& one) { return one.is_by(by_site); });
  return read_in_parts<Rows<OperationRow>>(profile, [&](Rows<OperationRow>& rows) {
    FileSums sums = empty;
    NamesOfPart names{tables};
    while (OperationRow const* row = rows.next()) {
      if (!sums.all.add(total_of(*row))) rows.fail(beyond_counting);
      bool const is_selected = sums.filter.selects(*row);
      CommunicatorIndex const communicator = names.communicator(*row);
      OperationIndex const operation = names.operation(row->operation);
      if (!selection.selects(row->rank)) continue;
      Cell cell{{communicator, operation, row->size, {}, row->rank}, totals_of(*row), row->shortest_s, row->longest_s};
      sums.of_all_calls.add_row(cell);
      if (!is_selected) continue;
      if (has_sites) cell.site = names.site(row->site);
      for (CellSums& list : sums.lists)
        if (list.keys() != by_size) list.add_row(cell);  // else it follows from other cells
    }
    return sums;
  });
}

namespace {

// Sums one part of summary.csv, whose rows the library has summed over ranks. The row of a communicator is followed by
// rows of its operations; the row of an operation by rows of its sites, if there are several, and of its sizes.
class SumsOfPart {
 public:
  SumsOfPart(Selection const& selection, std::span<CellList const> lists, Summary const& summary, FileSums const& empty,
             NameTables& tables)
      : selection_(selection), names_{tables}, sums_(empty) {
    // Communicators with little time each may be siblings, which have much together.
    constexpr std::size_t few = 1000;
    constexpr double least_share = 0.01;
    for (CellList const list : lists) {
      keys_ |= list.keys;
      bool const is_by_size = (list.keys & by_comm) != 0 && (list.keys & by_size) != 0;
      if (is_by_size && list.with == CellList::With::totals_of_most && summary.communicators.size() > few)
        least_with_sizes_s_ = least_share * std::min(summary.mpi_s, summary.wall_s);
    }
  }

  FileSums read(Rows<SummaryRow>& rows) {
    while (SummaryRow const* row = next(rows)) {
      RankSpread const spread{row->ranks, row->least_s, row->most_s};
      Cell cell{{}, totals_of(*row), row->shortest_s, row->longest_s, spread};
      add(*row, cell, rows);
    }
    return std::move(sums_);
  }

 private:
  [[nodiscard]] SummaryRow const* next(Rows<SummaryRow>& rows) const { return rows.next((keys_ & by_size) != 0); }

  void add(SummaryRow const& row, Cell& cell, Rows<SummaryRow>& rows) {
    if (is_several(row.communicator)) {
      communicator_text_.clear();
      if ((keys_ & by_site) == 0 || row.size || !sums_.filter.selects_operation(row.operation) ||
          !sums_.filter.sites.selects(row.site))
        return;
      return sums_.of_sites.add_sum(at_site(row, cell, names_.operation(row.operation)));
    }
    if (is_several(row.operation)) return begin_communicator(row, cell, rows);
    if (communicator_text_.empty() || row.communicator != communicator_text_)
      rows.fail("no row of the communicator in front of those of its operations");
    cell.communicator = communicator_;
    if (row.size) return add_size(row, cell);
    bool const is_operation = !has_several_sites_ || row.operation != operation_text_;
    if (is_operation) {
      operation_text_ = row.operation;
      operation_ = names_.operation(row.operation);
      has_several_sites_ = is_several(row.site);
      size_.reset();
      is_selected_ = sums_.filter.selects_operation(row.operation) && communicator_is_selected_;
    }
    cell.operation = operation_;
    bool const is_site = !is_several(row.site), site_is_selected = !is_site || sums_.filter.sites.selects(row.site);
    if (!is_selected_ || !site_is_selected) return;
    if (selection_.sites.empty() ? is_operation : is_site) {
      add_to(by_comm | by_op, cell);
      if (!selection_.operations.empty() || !selection_.kinds.empty() || !selection_.sites.empty())
        add_to(by_comm, cell);
    }
    if (!is_site || (keys_ & by_site) == 0) return;
    at_site(row, cell, operation_);
    add_to(by_comm | by_op | by_site, cell);
    add_to(by_op | by_site, cell);
  }

  Cell& at_site(SummaryRow const& row, Cell& cell, OperationIndex operation) {
    cell.operation = operation;
    cell.site = names_.site(row.site);
    return cell;
  }

  void add_to(Keys keys, Cell const& cell) {
    if (CellSums* const list = sums_.find(keys)) list->add_sum(cell);
  }

  void begin_communicator(SummaryRow const& row, Cell& cell, Rows<SummaryRow>& rows) {
    communicator_text_ = row.communicator;
    operation_text_ = row.operation;
    auto const next = static_cast<CommunicatorIndex>(static_cast<std::uint32_t>(communicator_) + 1);
    communicator_ = names_.tables.communicator(row.communicator, row.communicator_size.value_or(0), next);
    communicator_is_selected_ = sums_.filter.communicators.selects(row.communicator);
    has_several_sites_ = false;
    has_sizes_ = row.time_s >= least_with_sizes_s_;
    if (!sums_.all.add(total_of(row))) rows.fail(beyond_counting);
    cell.communicator = communicator_;
    sums_.of_all_calls.add_sum(cell);
    bool const is_whole = selection_.operations.empty() && selection_.kinds.empty() && selection_.sites.empty();
    if (communicator_is_selected_ && is_whole) add_to(by_comm, cell);
  }

  // A size with several regions or sites is followed by a row for each of these.
  void add_size(SummaryRow const& row, Cell& cell) {
    if (size_ == row.size && size_has_parts_) return;
    size_ = row.size;
    size_has_parts_ = is_several(row.region) || is_several(row.site);
    if (!is_selected_) return;
    cell.operation = operation_;
    cell.size = *row.size;
    if (has_sizes_) add_to(by_comm | by_op | by_size, cell);
    if (cell.totals.bytes() > 0) add_to(by_size, cell);
  }

  Selection const& selection_;
  NamesOfPart names_;
  FileSums sums_;
  Keys keys_ = 0;
  double least_with_sizes_s_ = 0;  // the least time of a communicator whose sizes are kept

  std::string communicator_text_;  // empty before the first row of a communicator
  CommunicatorIndex communicator_{};
  bool communicator_is_selected_ = false, has_sizes_ = false;
  std::string operation_text_;
  OperationIndex operation_{};
  bool is_selected_ = false, has_several_sites_ = false;
  std::optional<SizeBin> size_;
  bool size_has_parts_ = false;
};

}  // namespace

std::vector<FileSums> add_up_sums(Profile const& profile, Selection const& selection, std::span<CellList const> lists,
                                  Summary const& summary, FileSums const& empty, NameTables& tables) {
  return read_in_parts<Rows<SummaryRow>>(
      profile, [&](Rows<SummaryRow>& rows) { return SumsOfPart(selection, lists, summary, empty, tables).read(rows); });
}

}  // namespace mpisee_through
