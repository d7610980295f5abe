#include "summary/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "files/visible_text.hpp"
#include "summary/name_filter.hpp"
#include "summary/text_map.hpp"

namespace mpisee_through {
namespace {

struct CellKey {
  CommunicatorIndex communicator;
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

class Summariser {
 public:
  Summariser(Profile const& profile, Selection const& selection, Detail detail)
      : profile_(profile),
        selection_(selection),
        communicator_patterns_(selection.communicators),
        operation_patterns_(selection.operations),
        regions_(selection.regions, matches_region),
        sites_(selection.sites, [this](std::string const& glob, std::string const& site) {
          return summary_.site_names->matches(glob, site);
        }) {
    summary_.detail = detail;
    summary_.site_names = std::make_shared<SiteNames>(profile);
    if (!selection.sites.empty()) summary_.site_names->require();
  }

  Summary run() {
    static_cast<Overview&>(summary_) = read_overview(profile_, selection_);
    add_communicators();
    add_ranks();
    add_operations();
    communicator_patterns_.check("--comm", "communicator");
    operation_patterns_.check("--op", "operation");
    check_regions(profile_, regions_);
    sites_.patterns().check("--site", "call site");
    finish_communicators();
    distribute_cells();
    return std::move(summary_);
  }

 private:
  struct Cell {
    CommunicatorIndex communicator;
    OperationSummary sum;
  };

  // Counts the ranks that called anything on a communicator.
  struct Callers {
    WorldRank last{};
    std::uint64_t count = 0;
  };

  CommunicatorSummary& communicator(CommunicatorIndex index) {
    return summary_.communicators[static_cast<std::size_t>(index)];
  }

  void add_communicators() {
    CommunicatorRows rows(profile_);
    while (CommunicatorRow const* row = rows.next()) {
      std::string const name = visible(row->name);
      auto const known = communicator_by_name_.find(name);
      if (known != communicator_by_name_.end()) {
        add_instance(known->second, *row, rows);
        continue;
      }
      CommunicatorSummary added;
      added.name = name;
      added.parent = visible(row->parent);
      added.created_by = visible(row->created_by);
      added.created_at = row->created_at;
      added.size = row->size;
      added.members = row->members;
      added.topology = visible(row->topology);
      added.reorder = visible(row->reorder);
      added.user_name = visible(row->user_name);
      added.freed = row->freed;
      added.ranks = name == self_name ? summary_.selected_ranks : count_selected(row->member_ranks);
      add_communicator(std::move(added));
    }
  }

  CommunicatorIndex add_communicator(CommunicatorSummary&& added) {
    added.selected = communicator_patterns_.match(
        [&](std::string const& glob) { return matches_communicator(glob, added.name, added.user_name); });
    auto const index = static_cast<CommunicatorIndex>(summary_.communicators.size());
    communicator_by_name_.emplace(added.name, index);
    summary_.communicators.push_back(std::move(added));
    callers_.emplace_back();
    return index;
  }

  // A name occurs again, such as that of each rank's own duplicate of MPI_COMM_SELF. These communicators are one here.
  void add_instance(CommunicatorIndex index, CommunicatorRow const& row, CommunicatorRows& rows) {
    CommunicatorSummary& known = communicator(index);
    ++known.instances;
    if (known.members.empty() && row.members.empty()) return;

    auto const [members, is_new] = members_of_all_.try_emplace(index);
    if (is_new) members->second = RankSet::parse(known.members).value();
    RankSet const& others = row.member_ranks;
    bool const are_apart = !members->second.empty() && !others.empty() &&
                           members->second.highest() < static_cast<WorldRank>(others.ranges().front().first);
    if (!are_apart) {
      rows.fail(fmt::format("communicator {} occurs again, but not with higher ranks", known.name));
    }
    members->second.append(others);
    known.ranks += count_selected(others);
  }

  [[nodiscard]] std::uint64_t count_selected(RankSet const& members) const {
    return selection_.ranks ? members.count_in(*selection_.ranks) : members.size();
  }

  void add_ranks() {
    summary_.ranks.reserve(summary_.selected_ranks);
    for (std::uint32_t rank = 0; rank < summary_.run.ranks; ++rank) {
      if (selection_.selects(WorldRank{rank})) summary_.ranks.push_back({.rank = WorldRank{rank}});
    }
  }

  // Rows come in the order of ranks.
  RankSummary& rank_of(OperationRow const& row) {
    while (summary_.ranks[current_rank_].rank != row.rank) ++current_rank_;
    return summary_.ranks[current_rank_];
  }

  void add_operations() {
    OperationRows rows(profile_);
    bool rank_selected = false;
    std::optional<WorldRank> rank;
    Totals all;
    while (OperationRow const* row = rows.next()) {
      if (rank != row->rank) {
        rank = row->rank;
        rank_selected = selection_.selects(row->rank);
      }
      CommunicatorIndex const communicator_index = find_communicator(*row);
      OperationIndex const operation_index = find_operation(row->operation);
      bool const region_selected = regions_.selects(row->region);
      bool const site_selected = sites_.selects(row->site);
      if (!add(all, *row)) rows.fail("the numbers add up to more than can be counted");
      if (!rank_selected) continue;

      summary_.operations_s += row->time_s;
      Callers& callers = callers_[static_cast<std::size_t>(communicator_index)];
      if (callers.count == 0 || callers.last != row->rank) {
        callers.last = row->rank;
        ++callers.count;
      }
      if (!region_selected || !site_selected || !communicator(communicator_index).selected ||
          !selection_.selects(row->size))
        continue;
      if (!operation_selected_[static_cast<std::size_t>(operation_index)]) continue;
      add_to_cell(communicator_index, operation_index, *row);
    }
  }

  // False on overflow. Every other sum is a part of this one, so none of them can overflow either.
  static bool add(Totals& totals, OperationRow const& row) {
    std::uint64_t bytes = 0;
    totals.time_s += row.time_s;
    return !__builtin_add_overflow(totals.calls, row.calls, &totals.calls) &&
           !__builtin_add_overflow(totals.bytes_sent, row.bytes_sent, &totals.bytes_sent) &&
           !__builtin_add_overflow(totals.bytes_received, row.bytes_received, &totals.bytes_received) &&
           !__builtin_add_overflow(totals.bytes_sent, totals.bytes_received, &bytes) && std::isfinite(totals.time_s);
  }

  // Rows of one communicator are adjacent, so it is mostly that of the row before.
  CommunicatorIndex find_communicator(OperationRow const& row) {
    if (last_communicator_ && row.communicator == last_communicator_text_) return *last_communicator_;
    auto found = communicator_by_name_.find(row.communicator);
    if (found == communicator_by_name_.end()) found = communicator_by_name_.find(visible(row.communicator));
    last_communicator_text_ = row.communicator;
    last_communicator_ = found == communicator_by_name_.end() ? add_unlisted(row) : found->second;
    return *last_communicator_;
  }

  // communicators.csv may lack a communicator because the process that describes it ran out of memory. The calls of
  // others on it are shown nevertheless.
  CommunicatorIndex add_unlisted(OperationRow const& row) {
    CommunicatorSummary added;
    added.name = visible(row.communicator);
    added.size = row.communicator_size;
    added.instances = 0;
    return add_communicator(std::move(added));
  }

  OperationIndex find_operation(std::string_view text) {
    auto const found = operation_by_name_.find(text);
    if (found != operation_by_name_.end()) return found->second;

    auto const index = static_cast<OperationIndex>(summary_.operation_names.size());
    operation_by_name_.emplace(text, index);
    std::string const& name = summary_.operation_names.emplace_back(visible(text));
    bool const matches =
        operation_patterns_.match([&](std::string const& glob) { return matches_operation(glob, name); });
    operation_selected_.push_back(matches && selection_.selects_kind_of(name));
    operation_waits_.push_back(waits_for_messages(name));
    return index;
  }

  void add_to_cell(CommunicatorIndex communicator_index, OperationIndex operation_index, OperationRow const& row) {
    bool const by_size = summary_.detail == Detail::message_sizes;
    SizeBin const size = by_size ? row.size : SizeBin{};
    bool const by_site = summary_.detail == Detail::call_sites,
               knows_all = summary_.detail == Detail::operations_and_sizes;
    CallSiteIndex const site = by_site || knows_all ? find_site(row.site) : CallSiteIndex{};
    auto const [place, is_new] = cell_by_key_.try_emplace(
        {communicator_index, operation_index, size, by_site ? site : CallSiteIndex{}}, cells_.size());
    if (is_new) {
      Cell& added = cells_.emplace_back();
      added.communicator = communicator_index;
      added.sum.operation = operation_index;
      if (by_size) added.sum.size = size;
      if (by_site) added.sum.site = site;
    }
    OperationSummary& sum = cells_[place->second].sum;
    if (row.calls > 0) {
      sum.shortest_s = sum.totals.calls == 0 ? row.shortest_s : std::min(sum.shortest_s, row.shortest_s);
      sum.longest_s = std::max(sum.longest_s, row.longest_s);
    }
    add(sum.totals, row);
    sum.spread.add(row.rank, row.time_s);
    if (by_site) summary_.site_spreads[{site, operation_index}].add(row.rank, row.time_s);
    if (knows_all) {
      add_size(sum, row);
      add_site(sum, place->second, site, row);
    }

    add(communicator(communicator_index).totals, row);
    communicator(communicator_index).spread.add(row.rank, row.time_s);

    RankSummary& rank = rank_of(row);
    add(rank.totals, row);
    if (operation_waits_[static_cast<std::size_t>(operation_index)]) rank.receiving_s += row.time_s;
  }

  // An operation has few sizes (powers of two), so a linear search is fast.
  static void add_size(OperationSummary& sum, OperationRow const& row) {
    auto found = std::ranges::find(sum.sizes, row.size, &SizeTotals::size);
    if (found == sum.sizes.end()) found = sum.sizes.insert(found, {row.size, {}});
    add(found->totals, row);
  }

  // An operation may have thousands of sites, so they are found by a map.
  void add_site(OperationSummary& sum, std::size_t cell, CallSiteIndex site, OperationRow const& row) {
    std::uint64_t const key = static_cast<std::uint64_t>(cell) << 32U | static_cast<std::uint32_t>(site);
    auto const [place, is_new] = site_in_cell_.try_emplace(key, sum.sites.size());
    if (is_new) sum.sites.push_back({site, {}});
    add(sum.sites[place->second].totals, row);
  }

  CallSiteIndex find_site(std::string_view text) {
    auto const known = site_by_name_.find(text);
    if (known != site_by_name_.end()) return known->second;
    auto const index = static_cast<CallSiteIndex>(summary_.call_sites.size());
    site_by_name_.emplace(text, index);
    summary_.call_sites.emplace_back(text);
    return index;
  }

  void finish_communicators() {
    for (auto const& [index, members] : members_of_all_) communicator(index).members = members.to_string();
    for (std::size_t i = 0; i < callers_.size(); ++i) {
      CommunicatorSummary& one = summary_.communicators[i];
      // More callers than members: communicators are folded, or the members are unknown.
      one.ranks = std::max(one.ranks, callers_[i].count);
      bool const may_have_silent_ranks = one.members.empty() && one.name != self_name;
      if (selection_.ranks && one.ranks == 0 && !may_have_silent_ranks) one.selected = false;
    }
  }

  void distribute_cells() {
    site_in_cell_.clear();
    cell_by_key_.clear();  // before cells are copied: memory is at its peak here
    for (Cell& cell : cells_) communicator(cell.communicator).operations.push_back(std::move(cell.sum));
  }

  Profile const& profile_;
  Selection const& selection_;
  Summary summary_;

  TextMap<CommunicatorIndex> communicator_by_name_;
  Patterns communicator_patterns_;
  std::unordered_map<CommunicatorIndex, RankSet> members_of_all_;  // of those with several instances
  std::string last_communicator_text_;
  std::optional<CommunicatorIndex> last_communicator_;
  std::vector<Callers> callers_;  // by communicator

  TextMap<OperationIndex> operation_by_name_;  // as spelled in the file
  std::vector<bool> operation_selected_;       // by operation
  std::vector<bool> operation_waits_;          // the same
  std::size_t current_rank_ = 0;               // index into summary_.ranks
  Patterns operation_patterns_;
  NameFilter regions_;
  NameFilter sites_;
  TextMap<CallSiteIndex> site_by_name_;
  std::unordered_map<std::uint64_t, std::size_t> site_in_cell_;  // cell and site -> index into its sites

  std::unordered_map<CellKey, std::size_t, CellKeyHash> cell_by_key_;
  std::vector<Cell> cells_;
};

}  // namespace

Totals& Totals::operator+=(Totals const& other) {
  calls += other.calls;
  bytes_sent += other.bytes_sent;
  bytes_received += other.bytes_received;
  time_s += other.time_s;
  return *this;
}

SharesOfSize shares_of(Totals const& one, Totals const& all) {
  return {all.time_s > 0 ? std::optional(one.time_s / all.time_s) : std::nullopt,
          all.bytes() > 0 ? std::optional(static_cast<double>(one.bytes()) / static_cast<double>(all.bytes()))
                          : std::nullopt};
}

TotalsByOperation totals_by_operation(CommunicatorSummary const& communicator) {
  TotalsByOperation totals;
  for (OperationSummary const& operation : communicator.operations) totals[operation.operation] += operation.totals;
  return totals;
}

double CommunicatorSummary::mean_s(OperationSummary const& operation) const {
  return ranks == 0 ? 0 : operation.totals.time_s / static_cast<double>(ranks);
}

double CommunicatorSummary::min_s(OperationSummary const& operation) const {
  return operation.spread.ranks() < ranks ? 0 : operation.spread.min_s();
}

std::optional<double> Summary::share_of_mpi(Totals const& part) const {
  if (operations_s <= 0) return std::nullopt;
  return part.time_s / operations_s;
}

std::optional<double> Summary::share_of_wall(Totals const& part) const {
  return wall_s > 0 ? std::optional(part.time_s / wall_s) : std::nullopt;
}

Summary summarise(Profile const& profile, Selection const& selection, Detail detail) {
  return Summariser(profile, selection, detail).run();
}

}  // namespace mpisee_through
