// Sums the rows of summary.csv, which the library has summed over ranks.
#include <algorithm>
#include <optional>
#include <string>

#include "reader/read_parts.hpp"
#include "reader/rows.hpp"
#include "summary/file_sums.hpp"

namespace mpisee_through {
namespace {

RankSpread spread_of(SummaryRow const& row) {
  return {row.ranks, {row.least_s, row.least_rank}, {row.most_s, row.most_rank}};
}

void add_size_with_data(FileSums& sums, SizeBin const& size, Totals const& totals) {
  if (totals.bytes() > 0) sums.sizes_with_data[size] += totals;
}

// Sums one part of the file. The row of a communicator is followed by rows of its operations; the row of an operation
// by rows of its sites, if there are several, and of its sizes.
//
// The ranks with the least and the most time are known only if there is a row for exactly the selected calls.
class SumsOfPart {
 public:
  // takes_sizes_of_all: the sizes of operations on all communicators together are taken from other rows.
  SumsOfPart(Selection const& selection, Summary const& summary, NameTables& tables, bool takes_sizes_of_all)
      : SumsOfPart(selection, summary.detail, tables) {
    takes_sizes_of_all_ = takes_sizes_of_all;
    // Communicators with little time each may be siblings, which have much together.
    constexpr std::size_t few = 1000;
    if (summary.communicators.size() > few)
      least_with_sizes_s_ = detail_.least_share_with_sizes * std::min(summary.mpi_s, summary.wall_s);
  }

  FileSums read(SummaryRows& rows) {
    while (SummaryRow const* row = next(rows)) add(*row, rows);
    end_communicator();
    return std::move(sums_);
  }

 private:
  SumsOfPart(Selection const& selection, Detail detail, NameTables& tables)
      : detail_(detail),
        by_communicator_(detail.has_spread_of_sites && !selection.communicators.empty()),
        tables_(tables),
        names_(tables, selection) {}

  [[nodiscard]] SummaryRow const* next(SummaryRows& rows) const {
    if (detail_.by_size) return rows.next();
    bool const wants_sizes = detail_.has_parts && (has_sizes_ || !takes_sizes_of_all_);
    return rows.next(wants_sizes ? Details::brief : Details::none);
  }

  void add(SummaryRow const& row, SummaryRows& rows) {
    if (is_several(row.communicator)) {
      end_communicator();
      add_site_of_all(row);
    } else if (is_several(row.operation)) {
      end_communicator();
      begin_communicator(row, rows);
    } else {
      if (communicator_text_.empty() || row.communicator != communicator_text_)
        rows.fail("no row of the communicator in front of those of its operations");
      if (row.size) add_size(row);
      else if (is_site_of_operation(row)) add_site(row);
      else begin_operation(row);
    }
  }

  void begin_communicator(SummaryRow const& row, SummaryRows& rows) {
    communicator_text_ = row.communicator;
    NameTables::Communicator const communicator =
        tables_.communicator(row.communicator, row.communicator_size.value_or(0), next_communicator_);
    next_communicator_ = static_cast<CommunicatorIndex>(static_cast<std::uint32_t>(communicator.index) + 1);
    is_selected_ = communicator.selected;
    has_sizes_ = row.time_s >= least_with_sizes_s_;
    if (!add_up(sums_.all, totals_of(row))) rows.fail(beyond_counting);
    sums_.operations_s += row.time_s;
    std::size_t const operations_before = sums_.communicators.empty() ? 0 : of_communicator().operations.size();
    sums_.communicators.emplace_back(communicator.index, CommunicatorSums{.callers = row.ranks});
    of_communicator().operations.reserve(operations_before);  // a guess: mostly the right number
    spread_of_all_ = spread_of(row);
    calls_ = {};
  }

  void begin_operation(SummaryRow const& row) {
    end_operation();
    operation_text_ = row.operation;
    operation_ = names_.operation(row.operation);
    has_several_sites_ = is_several(row.site);
    whole_ = summary_of(row);
    size_.reset();
    if (!has_several_sites_) add_site(row);
  }

  [[nodiscard]] bool is_site_of_operation(SummaryRow const& row) const {
    return has_several_sites_ && row.operation == operation_text_;
  }

  void add_site(SummaryRow const& row) {
    bool const site_selected = names_.selects_site(row.site);
    ++sites_;
    bool const is_wanted = site_selected && is_selected_ && operation_.selected;
    if (by_communicator_) note_site(row, is_wanted);
    if (!is_wanted) return;
    ++sites_selected_;
    site_totals_ += totals_of(row);
    if (detail_.has_parts) whole_.sites.push_back({names_.site(row.site), totals_of(row)});
    if (detail_.by_site) {
      OperationSummary of_site = summary_of(row);
      of_site.site = names_.site(row.site);
      add(std::move(of_site));
    }
    if (has_several_sites_) one_site_ = summary_of(row);
  }

  // A size with several regions or sites is followed by a row for each of these.
  void add_size(SummaryRow const& row) {
    bool const is_cell = size_ == row.size && size_has_cells_;
    if (is_cell) return;
    size_ = row.size;
    size_has_cells_ = is_several(row.region) || is_several(row.site);
    if (!is_selected_ || !operation_.selected) return;
    if (detail_.has_parts) {
      Totals const totals = totals_of(row);
      if (has_sizes_) whole_.sizes.push_back({*row.size, totals});
      if (!takes_sizes_of_all_) add_size_with_data(sums_, *row.size, totals);
    } else {
      OperationSummary of_size = summary_of(row);
      of_size.size = row.size;
      add(std::move(of_size));
    }
  }

  void end_operation() {
    if (operation_text_.empty()) return;
    calls_.all += sites_;
    calls_.selected += sites_selected_;
    if (sites_selected_ > 0) {
      ++calls_.operations;
      of_communicator().totals += site_totals_;
      bool const is_whole = sites_selected_ == sites_;
      calls_.has_one_row = is_whole || sites_selected_ == 1;
      calls_.spread = is_whole ? whole_.spread : one_site_.spread;
      if (!detail_.by_size && !detail_.by_site) {
        sums_.summary_csv_suffices &= calls_.has_one_row;
        add(std::move(is_whole ? whole_ : one_site_));
      }
    }
    operation_text_.clear();
    has_several_sites_ = false;
    sites_ = sites_selected_ = 0;
    site_totals_ = {};
  }

  void end_communicator() {
    end_operation();
    if (communicator_text_.empty()) return;
    communicator_text_.clear();
    if (calls_.selected == 0) return;
    bool const are_all = calls_.selected == calls_.all;
    sums_.summary_csv_suffices &= are_all || (calls_.operations == 1 && calls_.has_one_row);
    of_communicator().spread = are_all ? spread_of_all_ : calls_.spread;
  }

  [[nodiscard]] CommunicatorSums& of_communicator() { return sums_.communicators.back().second; }
  void add(OperationSummary&& one) { of_communicator().operations.push_back(std::move(one)); }

  [[nodiscard]] OperationSummary summary_of(SummaryRow const& row) const {
    OperationSummary sum;
    sum.operation = operation_.index;
    sum.totals = totals_of(row);
    sum.spread = spread_of(row);
    sum.shortest_s = row.shortest_s;
    sum.longest_s = row.longest_s;
    return sum;
  }

  // Adds the row of an operation at a site on all communicators.
  void add_site_of_all(SummaryRow const& row) {
    if (!detail_.has_spread_of_sites || row.size) return;
    NameTables::Operation const& operation = names_.operation(row.operation);
    if (!operation.selected || !names_.selects_site(row.site)) return;
    sums_.site_spreads[{names_.site(row.site), operation.index}] = spread_of(row);
  }

  void note_site(SummaryRow const& row, bool is_wanted) {
    FileSums::SiteCalls& calls = sums_.sites_on_communicators[{names_.site(row.site), operation_.index}];
    ++calls.communicators;
    if (!is_wanted) return;
    ++calls.selected;
    calls.spread = spread_of(row);
  }

  Detail detail_;
  bool by_communicator_;  // sites are summed over selected communicators only
  NameTables& tables_;    // for communicators, each of which is looked up once
  NamesOfPart names_;
  FileSums sums_;
  double least_with_sizes_s_ = 0;    // least time of an operation on this communicator that gets sizes
  bool takes_sizes_of_all_ = false;  // sizes with data are taken from other rows than each communicator's

  CommunicatorIndex next_communicator_{};  // a guess: files have the same order
  std::string communicator_text_;          // text of the current communicator; empty before the first
  bool is_selected_ = false;               // the current communicator is selected
  bool has_sizes_ = false;                 // sizes of its operations are kept
  RankSpread spread_of_all_;               // of all operations on the current communicator
  // The rows of operations at sites on the current communicator.
  struct Calls {
    std::size_t all = 0, selected = 0;
    std::size_t operations = 0;  // number of selected ones, at any site
    bool has_one_row = false;    // whether the last of them has one row only
    RankSpread spread{};
  };
  Calls calls_;

  std::string operation_text_;  // text of the current operation; empty before the first
  NameTables::Operation operation_{};
  bool has_several_sites_ = false;
  std::size_t sites_ = 0, sites_selected_ = 0;
  Totals site_totals_;  // of the selected sites
  OperationSummary whole_, one_site_;

  std::optional<SizeBin> size_;
  bool size_has_cells_ = false;
};

// Finds the ranks with the least and the most time at each site on the selected communicators. Any part may have the
// rows for all communicators.
void select_sites(std::vector<FileSums>& parts) {
  std::map<std::pair<CallSiteIndex, OperationIndex>, FileSums::SiteCalls> sites;
  for (FileSums const& part : parts) {
    for (auto const& [place, calls] : part.sites_on_communicators) {
      FileSums::SiteCalls& sum = sites[place];
      sum.communicators += calls.communicators;
      sum.selected += calls.selected;
      if (calls.selected > 0) sum.spread = calls.spread;
    }
  }
  for (auto const& [place, calls] : sites) {
    if (calls.selected == calls.communicators) continue;
    for (FileSums& part : parts) part.site_spreads.erase(place);
    if (calls.selected == 0) continue;
    FileSums& any = parts.front();
    any.summary_csv_suffices &= calls.selected == 1;
    any.site_spreads[place] = calls.spread;
  }
}

}  // namespace

std::vector<FileSums> add_up_sums(Profile const& profile, Selection const& selection, Summary const& summary,
                                  NameTables& tables) {
  bool const takes_sizes_of_all = profile.holds(commprof::schema::sizes) && selection.communicators.empty();
  auto sums = read_in_parts<SummaryRows>(profile, [&](SummaryRows& rows) {
    return SumsOfPart(selection, summary, tables, takes_sizes_of_all).read(rows);
  });
  select_sites(sums);
  if (takes_sizes_of_all && summary.detail.has_parts) {
    NamesOfPart names(tables, selection);
    SizeRows rows(profile);
    while (SizeRow const* row = rows.next())
      if (names.operation(row->operation).selected) add_size_with_data(sums.front(), row->size, totals_of(*row));
  }
  return sums;
}

}  // namespace mpisee_through
