// Sums the rows of summary.csv, which the library has summed over ranks.
#include <algorithm>
#include <optional>
#include <string>

#include "reader/read_parts.hpp"
#include "reader/rows.hpp"
#include "summary/file_sums.hpp"

namespace mpisee_through {
namespace {

// Sums one part of the file. The row of a communicator is followed by rows of its operations; the row of an operation
// by rows of its sites, if there are several, and of its sizes.
//
// A sum is that of the row for exactly the selected calls, if there is one; else it has no spread.
class SumsOfPart {
 public:
  SumsOfPart(std::span<CellList const> lists, Selection const& selection, Summary const& summary, NameTables& tables,
             bool takes_sizes_of_all)
      : tables_(tables), names_(tables, selection), sums_(lists), takes_sizes_of_all_(takes_sizes_of_all) {
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
    notes_others_ = (keys_ & by_site) != 0 && !selection.communicators.empty();
  }

  FileSums read(SummaryRows& rows) {
    while (SummaryRow const* row = next(rows)) add(*row, rows);
    end_communicator();
    return std::move(sums_);
  }

 private:
  [[nodiscard]] SummaryRow const* next(SummaryRows& rows) const {
    if (has_spread_of_sizes_) return rows.next();
    bool const wants_sizes = (keys_ & by_size) != 0 && (has_sizes_ || !takes_sizes_of_all_);
    return rows.next(wants_sizes ? Details::brief : Details::none);
  }

  void add(SummaryRow const& row, SummaryRows& rows) {
    if (is_several(row.communicator)) {
      end_communicator();
      if ((keys_ & by_site) != 0 && !row.size) add_site_of_all(row);
    } else if (is_several(row.operation)) {
      end_communicator();
      begin_communicator(row, rows);
    } else {
      if (communicator_text_.empty() || row.communicator != communicator_text_)
        rows.fail("no row of the communicator in front of those of its operations");
      if (row.size) add_size(row);
      else if (has_several_sites_ && row.operation == operation_text_) add_site(row);
      else begin_operation(row);
    }
  }

  [[nodiscard]] Cell cell_of(SummaryRow const& row) const {
    return {{.communicator = communicator_.index, .operation = operation_.index},
            totals_of(row),
            row.shortest_s,
            row.longest_s,
            RankSpread(row.ranks, {row.least_s, row.least_rank}, {row.most_s, row.most_rank})};
  }

  void add_to(Keys keys, Cell const& cell) {
    for (CellSums& list : sums_.lists)
      if (list.keys() == keys) list.add_sum(cell);
  }

  void begin_communicator(SummaryRow const& row, SummaryRows& rows) {
    communicator_text_ = row.communicator;
    communicator_ = tables_.communicator(row.communicator, row.communicator_size.value_or(0), next_communicator_);
    next_communicator_ = static_cast<CommunicatorIndex>(static_cast<std::uint32_t>(communicator_.index) + 1);
    has_sizes_ = row.time_s >= least_with_sizes_s_;
    if (!sums_.all.add(total_of(row))) rows.fail(beyond_counting);
    of_communicator_ = cell_of(row);
    sums_.of_all_calls.add_sum(of_communicator_);
    selected_.clear();
    is_whole_ = communicator_.selected;
  }

  void begin_operation(SummaryRow const& row) {
    end_operation();
    operation_text_ = row.operation;
    operation_ = names_.operation(row.operation);
    has_several_sites_ = is_several(row.site);
    of_operation_ = cell_of(row);
    size_.reset();
    if (!has_several_sites_) add_site(row);
  }

  void add_site(SummaryRow const& row) {
    bool const is_selected = names_.selects_site(row.site) && communicator_.selected && operation_.selected;
    sites_all_ &= is_selected;
    if (!is_selected && !notes_others_) return;
    Cell site = cell_of(row);
    if ((keys_ & by_site) != 0) site.site = names_.site(row.site);
    if (is_selected) sites_.push_back(site);
    else sums_.not_selected.add_sum(site);
  }

  // A size with several regions or sites is followed by a row for each of these.
  void add_size(SummaryRow const& row) {
    bool const is_part = size_ == row.size && size_has_parts_;
    if (is_part) return;
    size_ = row.size;
    size_has_parts_ = is_several(row.region) || is_several(row.site);
    if (!communicator_.selected || !operation_.selected) return;
    Cell cell = cell_of(row);
    cell.size = *row.size;
    if (has_sizes_) add_to(by_comm | by_op | by_size, cell);
    if (!takes_sizes_of_all_ && cell.totals.bytes() > 0) add_to(by_size, cell);
  }

  void end_operation() {
    for (Cell const& site : sites_) {
      add_to(by_comm | by_op | by_site, site);
      add_to(by_op | by_site, site);
    }
    if (sites_all_ && !sites_.empty()) sites_.assign(1, of_operation_);
    for (Cell const& one : sites_) add_to(by_comm | by_op, one);
    selected_.insert(selected_.end(), sites_.begin(), sites_.end());
    is_whole_ &= sites_all_;
    operation_text_.clear();
    has_several_sites_ = false;
    sites_.clear();
    sites_all_ = true;
  }

  void end_communicator() {
    end_operation();
    if (is_whole_ && !selected_.empty()) selected_.assign(1, of_communicator_);
    for (Cell const& one : selected_) add_to(by_comm, one);
    communicator_text_.clear();
    selected_.clear();
  }

  // Adds the row of an operation at a site on all communicators.
  void add_site_of_all(SummaryRow const& row) {
    operation_ = names_.operation(row.operation);
    if (!operation_.selected || !names_.selects_site(row.site)) return;
    Cell cell = cell_of(row);
    cell.site = names_.site(row.site);
    sums_.on_all_communicators.add_sum(cell);
  }

  NameTables& tables_;  // for communicators, each of which is looked up once
  NamesOfPart names_;
  FileSums sums_;
  Keys keys_ = 0;
  bool takes_sizes_of_all_;  // sizes over all communicators are taken from sizes.csv
  bool has_spread_of_sizes_ = false;
  bool notes_others_ = false;      // sites on communicators that are not selected count
  double least_with_sizes_s_ = 0;  // the least time of a communicator whose sizes are kept

  // The current communicator.
  CommunicatorIndex next_communicator_{};  // a guess: files have the same order
  std::string communicator_text_;          // empty before the first
  NameTables::Communicator communicator_{};
  bool has_sizes_ = false;
  Cell of_communicator_;
  std::vector<Cell> selected_;  // the rows for its selected calls
  bool is_whole_ = true;        // all of its calls are selected

  // The current operation.
  std::string operation_text_;  // empty before the first
  NameTables::Operation operation_{};
  bool has_several_sites_ = false;
  Cell of_operation_;
  std::vector<Cell> sites_;  // selected
  bool sites_all_ = true;    // all of its sites are selected
  std::optional<SizeBin> size_;
  bool size_has_parts_ = false;
};

}  // namespace

std::vector<FileSums> add_up_sums(Profile const& profile, Selection const& selection, std::span<CellList const> lists,
                                  Summary const& summary, NameTables& tables) {
  bool const takes_sizes_of_all = profile.holds(commprof::schema::sizes) && selection.communicators.empty();
  auto sums = read_in_parts<SummaryRows>(profile, [&](SummaryRows& rows) {
    return SumsOfPart(lists, selection, summary, tables, takes_sizes_of_all).read(rows);
  });
  auto const of_sizes = std::ranges::find(sums.front().lists, by_size, &CellSums::keys);
  if (!takes_sizes_of_all || of_sizes == sums.front().lists.end()) return sums;
  NamesOfPart names(tables, selection);
  SizeRows rows(profile);
  while (SizeRow const* row = rows.next()) {
    Totals const totals = totals_of(*row);
    if (names.operation(row->operation).selected && totals.bytes() > 0)
      of_sizes->add_sum({{.size = row->size}, totals});
  }
  return sums;
}

}  // namespace mpisee_through
