// Sums the rows of operations.csv.
#include <algorithm>
#include <unordered_map>

#include "reader/read_parts.hpp"
#include "summary/file_sums.hpp"

namespace mpisee_through {
namespace {

struct CellKey {
  std::size_t communicator;
  OperationIndex operation;
  SizeBin size;
  CallSiteIndex site;

  bool operator==(CellKey const&) const = default;
};

struct CellKeyHash {
  std::size_t operator()(CellKey const& key) const {
    std::uint64_t const names =
        static_cast<std::uint64_t>(key.communicator) << 32U | static_cast<std::uint32_t>(key.operation);
    std::uint64_t const detail = key.size.min_bytes + (static_cast<std::uint64_t>(key.site) << 40U);
    std::uint64_t const mixed = (names ^ (detail * 0x9e3779b97f4a7c15U)) * 0xff51afd7ed558ccdU;
    return mixed ^ (mixed >> 32U);
  }
};

// Sums one part of the file.
class OperationAdder {
 public:
  OperationAdder(Selection const& selection, Summary& summary, NameTables& tables)
      : selection_(selection), summary_(summary), names_(tables, selection) {}

  FileSums read(OperationRows& rows) {
    while (OperationRow const* row = rows.next()) {
      NameTables::Communicator const& communicator = names_.communicator(row->communicator, row->communicator_size);
      NameTables::Operation const& operation = names_.operation(row->operation);
      bool const in_region = names_.selects_region(row->region), at_site = names_.selects_site(row->site);
      bool const is_selected = in_region && at_site;
      if (!add_up(sums_.all, totals_of(*row))) rows.fail(beyond_counting);
      if (!has_rank_ || rank_ != row->rank) begin_rank(row->rank);
      if (!rank_selected_) continue;

      sums_.operations_s += row->time_s;
      if (!has_communicator_ || communicator_ != communicator.index) begin_communicator(communicator.index);
      count_caller();
      if (is_selected && communicator.selected && operation.selected && selection_.selects(row->size))
        add(operation, *row);
    }
    return std::move(sums_);
  }

 private:
  // Starts a rank. Rows are sorted by rank.
  void begin_rank(WorldRank rank) {
    has_rank_ = true;
    rank_ = rank;
    rank_selected_ = selection_.selects(rank);
    if (!rank_selected_) return;
    std::vector<RankSummary>& ranks = summary_.ranks;
    if (rank_summary_ != nullptr && rank_summary_ != &ranks.back() && rank_summary_[1].rank == rank) ++rank_summary_;
    else rank_summary_ = &*std::ranges::lower_bound(ranks, rank, {}, &RankSummary::rank);
  }

  void begin_communicator(CommunicatorIndex index) {
    has_communicator_ = true;
    communicator_ = index;
    auto const [place, is_new] = places_.try_emplace(index, sums_.communicators.size());
    if (is_new) {
      sums_.communicators.emplace_back(index, CommunicatorSums());
      last_callers_.emplace_back();
    }
    place_ = place->second;
    has_cell_ = false;
  }

  void count_caller() {
    CommunicatorSums& sums = sums_.communicators[place_].second;
    if (sums.callers > 0 && last_callers_[place_] == rank_) return;
    last_callers_[place_] = rank_;
    ++sums.callers;
  }

  void add(NameTables::Operation const& operation, OperationRow const& row) {
    Detail const detail = summary_.detail;
    CallSiteIndex const site = detail.by_site || detail.has_parts ? names_.site(row.site) : CallSiteIndex{};
    CellKey const key{place_, operation.index, detail.by_size ? row.size : SizeBin{},
                      detail.by_site ? site : CallSiteIndex{}};
    CommunicatorSums& communicator = sums_.communicators[place_].second;
    OperationSummary& sum = communicator.operations[cell_of(key, communicator)];
    if (row.calls > 0) {
      sum.shortest_s = sum.totals.calls == 0 ? row.shortest_s : std::min(sum.shortest_s, row.shortest_s);
      sum.longest_s = std::max(sum.longest_s, row.longest_s);
    }
    Totals const totals = totals_of(row);
    sum.totals += totals;
    sum.spread.add(row.rank, row.time_s);
    if (detail.has_spread_of_sites) sums_.site_spreads[{site, operation.index}].add(row.rank, row.time_s);
    if (detail.has_parts) {
      add_size(sum, row.size, totals);
      add_site(sum, site, totals);
    }
    communicator.totals += totals;
    communicator.spread.add(row.rank, row.time_s);
    rank_summary_->totals += totals;
  }

  // Finds the cell of a row; checks the last cell first, because rows of one cell are often adjacent.
  std::size_t cell_of(CellKey const& key, CommunicatorSums& communicator) {
    if (has_cell_ && key == cell_key_) return cell_;
    auto const [place, is_new] = cells_.try_emplace(key, communicator.operations.size());
    if (is_new) {
      OperationSummary& added = communicator.operations.emplace_back();
      added.operation = key.operation;
      if (summary_.detail.by_size) added.size = key.size;
      if (summary_.detail.by_site) added.site = key.site;
    }
    has_cell_ = true;
    cell_key_ = key;
    return cell_ = place->second;
  }

  void add_size(OperationSummary& sum, SizeBin const& size, Totals const& totals) {
    CellKey key = cell_key_;
    key.size = size;
    add_part(sum.sizes, &SizeTotals::size, size, totals, 64, key, sizes_);  // powers of two
  }
  void add_site(OperationSummary& sum, CallSiteIndex site, Totals const& totals) {
    CellKey key = cell_key_;
    key.site = site;
    add_part(sum.sites, &SiteTotals::site, site, totals, 8, key, sites_);
  }

  using Places = std::unordered_map<CellKey, std::size_t, CellKeyHash>;
  // Searches the first few parts one by one; an operation may have thousands of sites.
  template <class Part, class Name>
  static void add_part(std::vector<Part>& parts, Name Part::*name, Name const& one, Totals const& totals,
                       std::size_t few, CellKey const& key, Places& places) {
    if (parts.size() <= few) {
      auto const found = std::ranges::find(parts, one, name);
      if (found != parts.end()) {
        found->totals += totals;
        return;
      }
    }
    auto const [place, is_new] = places.try_emplace(key, parts.size());
    if (is_new) parts.push_back({one, {}});
    parts[place->second].totals += totals;
  }

  Selection const& selection_;
  Summary& summary_;
  NamesOfPart names_;
  FileSums sums_;

  bool has_rank_ = false, rank_selected_ = false;
  WorldRank rank_{};
  RankSummary* rank_summary_ = nullptr;

  bool has_communicator_ = false;
  CommunicatorIndex communicator_{};
  std::size_t place_ = 0;  // index of the communicator in the sums
  std::unordered_map<CommunicatorIndex, std::size_t> places_;
  std::vector<WorldRank> last_callers_;  // by index of the communicator

  bool has_cell_ = false;
  CellKey cell_key_{};
  std::size_t cell_ = 0;
  Places cells_, sizes_, sites_;
};

}  // namespace

std::vector<FileSums> add_up_operations(Profile const& profile, Selection const& selection, Summary& summary,
                                        NameTables& tables) {
  return read_in_parts<OperationRows>(
      profile, [&](OperationRows& rows) { return OperationAdder(selection, summary, tables).read(rows); });
}

}  // namespace mpisee_through
