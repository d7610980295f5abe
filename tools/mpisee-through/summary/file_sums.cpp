#include "summary/file_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "files/visible_text.hpp"
#include "reader/profile_reader.hpp"

namespace mpisee_through {

NameTables::NameTables(Profile const& profile, Selection const& selection, NameFilter& filter, Summary& summary)
    : selection_(selection), summary_(summary) {
  constexpr std::uint64_t most_expected = 1'000'000;  // limits what is reserved before the file is read
  CommunicatorRows rows(profile);
  auto const count = std::min(profile.expected_rows(commprof::schema::communicators.name).value_or(0), most_expected);
  summary.communicators.reserve(count);
  communicator_by_name_.reserve(count);
  while (CommunicatorRow const* row = rows.next()) {
    bool const is_selected = filter.add(row->name, visible(row->user_name));
    auto const known = communicator_by_name_.find(visible(row->name));
    if (known == communicator_by_name_.end()) {
      add_communicator(*row, is_selected);
      continue;
    }
    CommunicatorSummary& one = summary.communicators[static_cast<std::size_t>(known->second)];
    one.selected |= is_selected;
    add_instance(one, *row, rows);
  }
  for (auto const& [name, members] : members_of_all_)
    summary.communicators[static_cast<std::size_t>(communicator_by_name_.at(name))].members = members.to_string();
}

void NameTables::add_communicator(CommunicatorRow const& row, bool is_selected) {
  CommunicatorSummary added;
  added.name = visible(row.name);
  added.parent = visible(row.parent);
  added.created_by = visible(row.created_by);
  added.created_at = row.created_at;
  added.size = row.size;
  added.members = row.members;
  added.topology = visible(row.topology);
  added.reorder = visible(row.reorder);
  added.user_name = visible(row.user_name);
  added.selected = is_selected;
  added.freed = row.freed;
  added.ranks = added.name == self_name ? summary_.selected_ranks : count_selected(row.member_ranks);
  communicator_by_name_.emplace(added.name, static_cast<CommunicatorIndex>(summary_.communicators.size()));
  summary_.communicators.push_back(std::move(added));
}

// Joins communicators that have one name, such as each rank's duplicate of MPI_COMM_SELF.
void NameTables::add_instance(CommunicatorSummary& known, CommunicatorRow const& row, CommunicatorRows& rows) {
  ++known.instances;
  if (known.members.empty() && row.members.empty()) return;

  auto const [members, is_new] = members_of_all_.try_emplace(known.name);
  if (is_new) members->second = RankSet::parse_ascending(known.members).value_or(RankSet());
  RankSet const& others = row.member_ranks;
  bool const are_apart = !members->second.empty() && !others.empty() && members->second.highest() < others.lowest();
  if (!are_apart) rows.fail(fmt::format("communicator {} occurs again, but not with higher ranks", known.name));
  members->second.append(others);
  known.ranks += count_selected(others);
}

std::uint64_t NameTables::count_selected(RankSet const& members) const {
  if (selection_.ranks) return members.count_in(*selection_.ranks);
  return members.size() - (summary_.run.lacks_ranks() ? members.count_in(summary_.run.unfinished->missing) : 0);
}

CommunicatorIndex NameTables::communicator(std::string_view text, std::uint64_t size, CommunicatorIndex guess) {
  std::lock_guard const lock(mutex_);
  auto& all = summary_.communicators;
  auto const place = static_cast<std::size_t>(guess);
  if (place < all.size() && all[place].name == text) return guess;
  auto known = communicator_by_name_.find(text);
  if (known == communicator_by_name_.end()) known = communicator_by_name_.find(visible(text));
  if (known != communicator_by_name_.end()) return known->second;
  // communicators.csv lacks a communicator if the process that describes it ran out of memory. The calls of other ranks
  // on it are shown nevertheless.
  CommunicatorSummary added;
  added.name = visible(text);
  added.size = size;
  added.instances = 0;
  auto const index = static_cast<CommunicatorIndex>(all.size());
  communicator_by_name_.emplace(added.name, index);
  all.push_back(std::move(added));
  return index;
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

Keys all_keys(std::vector<CellSums> const& lists) {
  Keys keys = 0;
  for (CellSums const& list : lists) keys |= list.keys();
  return keys;
}

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
  bool const has_sites = (all_keys(empty.lists) & by_site) != 0;
  return read_in_parts<OperationRows>(profile, [&](OperationRows& rows) {
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
             NameTables& tables, bool takes_sizes_of_all)
      : selection_(selection), names_{tables}, sums_(empty), takes_sizes_of_all_(takes_sizes_of_all) {
    // Communicators with little time each may be siblings, which have much together.
    constexpr std::size_t few = 1000;
    constexpr double least_share = 0.01;
    for (CellList const list : lists) {
      keys_ |= list.keys;
      bool const is_by_size = (list.keys & by_comm) != 0 && (list.keys & by_size) != 0;
      has_spread_of_sizes_ |= is_by_size && list.has_spread();
      if (is_by_size && list.with == CellList::With::totals_of_most && summary.communicators.size() > few)
        least_with_sizes_s_ = least_share * std::min(summary.mpi_s, summary.wall_s);
    }
  }

  FileSums read(SummaryRows& rows) {
    while (SummaryRow const* row = next(rows)) {
      RankSpread const spread(row->ranks, {row->least_s, row->least_rank}, {row->most_s, row->most_rank});
      Cell cell{{}, totals_of(*row), row->shortest_s, row->longest_s, &spread};
      add(*row, cell, rows);
    }
    return std::move(sums_);
  }

 private:
  [[nodiscard]] SummaryRow const* next(SummaryRows& rows) const {
    bool const wants_sizes = (keys_ & by_size) != 0 && (has_sizes_ || !takes_sizes_of_all_);
    return rows.next(wants_sizes || has_spread_of_sizes_);
  }

  void add(SummaryRow const& row, Cell& cell, SummaryRows& rows) {
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

  void begin_communicator(SummaryRow const& row, Cell& cell, SummaryRows& rows) {
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
    if (!takes_sizes_of_all_ && cell.totals.bytes() > 0) add_to(by_size, cell);
  }

  Selection const& selection_;
  NamesOfPart names_;
  FileSums sums_;
  Keys keys_ = 0;
  bool takes_sizes_of_all_;  // sizes over all communicators are taken from sizes.csv
  bool has_spread_of_sizes_ = false;
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
  bool const takes_sizes_of_all = profile.holds(commprof::schema::sizes) && selection.communicators.empty();
  auto parts = read_in_parts<SummaryRows>(profile, [&](SummaryRows& rows) {
    return SumsOfPart(selection, lists, summary, empty, tables, takes_sizes_of_all).read(rows);
  });
  FileSums& first = parts.front();
  CellSums* const of_sizes = first.find(by_size);
  if (!takes_sizes_of_all || of_sizes == nullptr) return parts;
  SizeRows rows(profile);
  while (SizeRow const* row = rows.next()) {
    Totals const totals = totals_of(*row);
    if (first.filter.selects_operation(row->operation) && totals.bytes() > 0)
      of_sizes->add_sum({{.size = row->size}, totals});
  }
  return parts;
}

}  // namespace mpisee_through
