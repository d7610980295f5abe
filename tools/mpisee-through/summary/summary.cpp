#include "summary/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "files/visible_text.hpp"
#include "summary/file_sums.hpp"
#include "text/units.hpp"

namespace mpisee_through {
NameTables::NameTables(Profile const& profile, Selection const& selection, NameFilter& filter, Summary& summary)
    : selection_(selection), summary_(summary) {
  constexpr std::uint64_t most_expected = 1'000'000;  // limits what is reserved before the file is read
  Rows<CommunicatorRow> rows(profile);
  auto const count = std::min(profile.expected_rows(commprof::schema::communicators.name).value_or(0), most_expected);
  summary.communicators.reserve(count);
  communicator_by_name_.reserve(count);
  while (CommunicatorRow const* row = rows.next()) {
    std::string const name = visible(row->name), user_name = visible(row->user_name);
    bool const is_selected = filter.add(row->name, user_name);
    auto const [known, is_new] =
        communicator_by_name_.try_emplace(name, static_cast<CommunicatorIndex>(summary.communicators.size()));
    if (is_new) {
      summary.communicators.push_back(
          {.name = name,
           .parent = visible(row->parent),
           .created_by = visible(row->created_by),
           .created_at = std::string(row->created_at),
           .size = row->size,
           .members = std::string(row->members),
           .topology = visible(row->topology),
           .reorder = visible(row->reorder),
           .user_name = user_name,
           .freed = row->freed,
           .ranks = name == self_name ? summary.selected_ranks : count_selected(row->member_ranks)});
    } else {
      add_instance(summary.communicators[static_cast<std::size_t>(known->second)], *row, rows);
    }
    summary.communicators[static_cast<std::size_t>(known->second)].selected |= is_selected;
  }
  for (auto const& [name, members] : members_of_all_)
    summary.communicators[static_cast<std::size_t>(communicator_by_name_.at(name))].members = members.to_string();
}

// Joins communicators that have one name, such as each rank's duplicate of MPI_COMM_SELF.
void NameTables::add_instance(CommunicatorSummary& known, CommunicatorRow const& row, Rows<CommunicatorRow>& rows) {
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
  all.push_back({.name = visible(text), .size = size, .instances = 0});
  return communicator_by_name_.emplace(all.back().name, static_cast<CommunicatorIndex>(all.size() - 1)).first->second;
}

namespace {

// Sorts by name, from `first` on. Returns the new index of each value.
template <class Index, class Value, class Name>
std::vector<Index> sort_by_name(std::vector<Value>& values, Name name, std::size_t first = 0) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  auto const name_of = [&](std::size_t i) -> std::string const& { return std::invoke(name, values[i]); };
  std::ranges::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(first), order.end(), {}, name_of);
  std::vector<Index> places(values.size());
  std::vector<Value> sorted;
  sorted.reserve(values.size());
  for (std::size_t const i : order) {
    places[i] = static_cast<Index>(sorted.size());
    sorted.push_back(std::move(values[i]));
  }
  values = std::move(sorted);
  return places;
}

class Summariser {
 public:
  Summariser(Profile const& profile, Selection const& selection, std::vector<CellList> const& lists,
             Overview&& overview)
      : profile_(profile),
        selection_(selection),
        lists_(lists),
        summary_{std::move(overview)},
        site_names_(std::make_shared<SiteNames>(profile)),
        filter_(selection, site_names_.get()),
        names_(profile, selection, filter_.communicators, summary_) {
    if (!selection.sites.empty()) site_names_->require();
    summary_.site_names = site_names_;
  }

  Summary from_operations() {
    FileSums const empty(lists_, CellSums::Ranks::ascending, filter_);
    FileSums sums = join_parts(add_up_operations(profile_, selection_, empty, names_));
    take(sums);
    // Whether calls of a size carry data is known of all ranks together: the root of a broadcast counts no bytes.
    if (CellSums* const of_sizes = sums.find(by_size)) {
      for (Cell const& cell : summary_.cells(by_comm | by_op | by_size))
        if (cell.totals.bytes() > 0) of_sizes->add_sum(cell);
      summary_.lists[by_size] = of_sizes->take();
    }
    return finish(sums.filter);
  }

  // Nothing if summary.csv cannot answer the question.
  std::optional<Summary> from_sums() {
    FileSums const empty(lists_, CellSums::Ranks::any, filter_);
    FileSums sums = join_parts(add_up_sums(profile_, selection_, lists_, summary_, empty, names_));
    CellSums* const of_sites = sums.find(by_op | by_site);
    if (of_sites != nullptr && selection_.communicators.empty()) of_sites->complete_spreads(sums.of_sites.take());
    take(sums);
    auto const is_known = [](Cell const& one) { return one.spread.ranks > 0; };
    for (CellList const& list : lists_)
      if (list.has_spread() && !std::ranges::all_of(summary_.cells(list.keys), is_known)) return std::nullopt;
    // Names of communicators that differ in the file may look alike when printed. Their sums over ranks cannot be
    // joined.
    if (!std::ranges::all_of(of_all_calls_, is_known)) return std::nullopt;
    return finish(sums.filter);
  }

  [[nodiscard]] Overview&& overview() { return std::move(summary_); }

 private:
  FileSums join_parts(std::vector<FileSums>&& parts) {
    FileSums& sums = parts.front();
    for (FileSums& part : std::span(parts).subspan(1)) {
      if (!sums.all.add(part.all))
        throw ProfileError(profile_.files().file(commprof::schema::operations.name).shown, std::nullopt,
                           beyond_counting);
      sums.append(std::move(part));
    }
    return std::move(sums);
  }

  // Sorts all names, so that the order depends neither on the files nor on threads.
  void take(FileSums& sums) {
    for (std::string const& name : names_.operations.all()) summary_.operation_names.push_back(visible(name));
    summary_.call_sites = names_.sites.all();
    auto const operation = sort_by_name<OperationIndex>(summary_.operation_names, std::identity());
    auto const site = sort_by_name<CallSiteIndex>(summary_.call_sites, std::identity());
    // Communicators that communicators.csv does not list stand behind the others.
    auto& communicators = summary_.communicators;
    auto const unlisted = std::ranges::find(communicators, 0U, &CommunicatorSummary::instances) - communicators.begin();
    auto const communicator =
        sort_by_name<CommunicatorIndex>(communicators, &CommunicatorSummary::name, static_cast<std::size_t>(unlisted));
    auto const taken = [&](CellSums& list) {
      auto const move = [&](Keys key, auto const& places, auto& index) {
        if (list.is_by(key)) index = places[static_cast<std::size_t>(index)];
      };
      return list.take([&](CellKey& key) {
        move(by_comm, communicator, key.communicator);
        move(by_op, operation, key.operation);
        move(by_site, site, key.site);
      });
    };
    for (CellSums& list : sums.lists) summary_.lists[list.keys()] = taken(list);
    of_all_calls_ = taken(sums.of_all_calls);
  }

  Summary finish(RowFilter& filter) {
    filter.check(profile_, "operation");
    Seconds operations_s;
    std::vector<std::uint64_t> callers(summary_.communicators.size());
    for (Cell const& cell : of_all_calls_) {
      operations_s += cell.totals.time_s;
      callers[static_cast<std::size_t>(cell.communicator)] = cell.spread.ranks;
    }
    summary_.operations_s = operations_s;
    for (Cell const& cell : selection_.has_whole_ranks() ? of_all_calls_ : summary_.cells(by_comm)) {
      CommunicatorSummary& one = summary_.communicators[static_cast<std::size_t>(cell.communicator)];
      one.is_called = true;
      one.totals = cell.totals;
      one.spread = cell.spread;
    }
    for (std::size_t i = 0; i < callers.size(); ++i) {
      CommunicatorSummary& one = summary_.communicators[i];
      if (one.instances == 0) one.selected = filter.communicators.selects(one.name);
      // More callers than members: communicators are folded, or the members are unknown.
      one.ranks = std::max(one.ranks, callers[i]);
      bool const may_have_silent_ranks = one.members.empty() && one.name != self_name;
      if (selection_.ranks && one.ranks == 0 && !may_have_silent_ranks) one.selected = false;
    }
    list_ranks();
    return std::move(summary_);
  }

  void list_ranks() {
    auto const sums = summary_.lists.find(by_rank);
    summary_.ranks.reserve(summary_.selected_ranks);
    for (std::uint32_t rank = 0; rank < summary_.run.ranks; ++rank) {
      if (!selection_.selects(WorldRank{rank})) continue;
      RankSummary& one = summary_.ranks.emplace_back(RankSummary{.rank = WorldRank{rank}});
      if (sums == summary_.lists.end()) one.totals.time_s = summary_.times_of_rank[rank].mpi_s;
      else
        for (Cell const& cell : with_key(sums->second, one.rank, &Cell::rank)) one.totals = cell.totals;
    }
  }

  Profile const& profile_;
  Selection const& selection_;
  std::vector<CellList> const& lists_;
  Summary summary_;
  Cells of_all_calls_;  // by communicator
  std::shared_ptr<SiteNames> site_names_;
  RowFilter filter_;
  NameTables names_;
};

bool has(std::vector<CellList> const& lists, Keys keys) {
  return std::ranges::any_of(lists, [keys](CellList const& one) { return (one.keys & keys) != 0; });
}

// The option that needs rows of single ranks.
std::string_view option_for_rows(Selection const& selection, std::vector<CellList> const& lists) {
  for (auto const& [option, is_given] : {std::pair("--ranks", has(lists, by_rank)),
                                         {"--rank", selection.ranks.has_value()},
                                         {"--region", !selection.regions.empty()},
                                         {"--size", selection.sizes.has_value()},
                                         {"--site", !selection.sites.empty()}})
    if (is_given) return option;
  return "a selection of several operations or communicators";
}

// Whether to try summary.csv; the spreads then say whether it could answer.
bool can_use_summary_csv(Profile const& profile, Selection const& selection, std::vector<CellList> const& lists) {
  if (!profile.holds(commprof::schema::summary) || has(lists, by_rank)) return false;
  if (selection.ranks || selection.sizes || !selection.regions.empty()) return false;
  // Rows of sizes have no call sites, except in rows for each region.
  return selection.sites.empty() || !has(lists, by_size);
}

}  // namespace

std::vector<std::uint32_t> busy_ranks(Summary const& summary) {
  double const limit_s = (summary.efficiency.useful_mean_s() + summary.efficiency.useful_max_s()) / 2;
  std::vector<std::uint32_t> busy;
  for (RankSummary const& one : summary.ranks) {
    auto const rank = static_cast<std::uint32_t>(one.rank);
    if (summary.times_of_rank[rank].useful_s() > limit_s) busy.push_back(rank);
  }
  return busy;
}

Summary summarise(Profile const& profile, Selection const& selection, std::vector<CellList> lists) {
  if (!selection.has_whole_ranks()) lists.push_back({by_comm});
  Overview overview = read_overview(profile, selection);
  if (can_use_summary_csv(profile, selection, lists)) {
    Summariser sums(profile, selection, lists, std::move(overview));
    if (auto summary = sums.from_sums()) return *std::move(summary);
    overview = sums.overview();
  }
  require_rows(profile, selection, option_for_rows(selection, lists));
  return Summariser(profile, selection, lists, std::move(overview)).from_operations();
}

Cell const* Summary::operation(CommunicatorIndex communicator, OperationIndex operation) const {
  auto const found = cells_of(operations(), communicator, operation);
  return found.empty() ? nullptr : &found.front();
}

Cell const* main_site(Summary const& summary, Cell const& operation) {
  auto const sites = summary.parts_of(operation, by_site);
  if (sites.empty()) return nullptr;
  auto const most = std::ranges::max_element(sites, {}, [](Cell const& one) { return one.totals.time_s; });
  return summary.site(most->site).empty() ? nullptr : &*most;
}

std::string called_at(Summary const& summary, Cell const& operation) {
  constexpr double part_worth_naming = 0.25, all_of_it = 0.9995;
  Cell const* const most = main_site(summary, operation);
  double const share = most == nullptr ? 0 : share_of(most->totals.time_s, operation.totals.time_s).value_or(0);
  if (share < part_worth_naming) return "";
  std::string const line = summary.site_names->line(summary.site(most->site));
  return share >= all_of_it ? " at " + line : fmt::format(" ({} of it at {})", format_share(share), line);
}

CallFinder::CallFinder(Summary const& summary, Cells const& cells) : cells_(cells) {
  for (std::size_t i = 0; i < summary.communicators.size(); ++i)
    communicators_.emplace(summary.communicators[i].name, static_cast<CommunicatorIndex>(i));
  for (std::size_t i = 0; i < summary.operation_names.size(); ++i)
    operations_.emplace(summary.operation_names[i], static_cast<OperationIndex>(i));
}

std::span<Cell const> CallFinder::find(std::string_view communicator, std::string_view operation) const {
  auto const on = communicators_.find(visible(communicator));
  auto const of = operations_.find(visible(operation));
  if (on == communicators_.end() || of == operations_.end()) return {};
  return cells_of(cells_, on->second, of->second);
}

}  // namespace mpisee_through
