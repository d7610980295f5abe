#include "summary/summarise.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "reader/parallel.hpp"
#include "summary/file_sums.hpp"

namespace mpisee_through {
namespace {

auto key_of(OperationSummary const& one) { return std::tuple(one.operation, one.size, one.site); }

// key(sum) tells sums apart; add(sum, other): for sums of one key.
template <class Sum, class Key, class Add>
void merge_by(Key key, std::vector<Sum>& sums, std::vector<Sum>&& others, Add add) {
  if (sums.empty()) return sums.swap(others);
  std::map<std::decay_t<std::invoke_result_t<Key, Sum const&>>, std::size_t> places;
  for (std::size_t i = 0; i < sums.size(); ++i) places.emplace(std::invoke(key, sums[i]), i);
  for (Sum& other : others) {
    auto const place = places.find(std::invoke(key, other));
    if (place == places.end()) sums.push_back(std::move(other));
    else add(sums[place->second], std::move(other));
  }
}

// Adds the calls of later ranks.
void merge(OperationSummary& sum, OperationSummary&& other) {
  if (other.totals.calls > 0) {
    sum.shortest_s = sum.totals.calls == 0 ? other.shortest_s : std::min(sum.shortest_s, other.shortest_s);
    sum.longest_s = std::max(sum.longest_s, other.longest_s);
  }
  sum.totals += other.totals;
  sum.spread.append(other.spread);
  auto const add = [](auto& one, auto&& more) { one.totals += more.totals; };
  merge_by(&SizeTotals::size, sum.sizes, std::move(other.sizes), add);
  merge_by(&SiteTotals::site, sum.sites, std::move(other.sites), add);
}

// Sorts the names. Returns the new index of each name.
template <class Index>
std::vector<Index> sort_names(std::vector<std::string>& names) {
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) -> std::string const& { return names[i]; });
  std::vector<Index> places(names.size());
  std::vector<std::string> sorted;
  for (std::size_t const i : order) {
    places[i] = static_cast<Index>(sorted.size());
    sorted.push_back(std::move(names[i]));
  }
  names = std::move(sorted);
  return places;
}

template <class Values, class Key>
void sort_by(Values& values, Key key) {
  if (!std::ranges::is_sorted(values, {}, key)) std::ranges::sort(values, {}, key);
}

// Sorts everything by name, so that the order depends neither on the files nor on threads.
void put_in_order(Summary& summary) {
  auto const operation = sort_names<OperationIndex>(summary.operation_names);
  auto const site = sort_names<CallSiteIndex>(summary.call_sites);
  auto const place_of = [](auto const& places, auto index) { return places[static_cast<std::size_t>(index)]; };
  auto const put_in_order = [&](CommunicatorSummary& communicator) {
    for (OperationSummary& one : communicator.operations) {
      one.operation = place_of(operation, one.operation);
      if (one.site) one.site = place_of(site, *one.site);
      for (SiteTotals& part : one.sites) part.site = place_of(site, part.site);
      sort_by(one.sites, &SiteTotals::site);
      sort_by(one.sizes, &SizeTotals::size);
    }
    sort_by(communicator.operations, key_of);
  };
  run_for_each(summary.communicators.size(), [&](std::size_t i) { put_in_order(summary.communicators[i]); });
  decltype(summary.site_spreads) spreads;
  for (auto const& [key, spread] : summary.site_spreads)
    spreads.emplace(std::pair(place_of(site, key.first), place_of(operation, key.second)), spread);
  summary.site_spreads = std::move(spreads);
  // Communicators that communicators.csv does not list stand behind the others.
  auto const unlisted = std::ranges::find(summary.communicators, 0U, &CommunicatorSummary::instances);
  std::ranges::sort(unlisted, summary.communicators.end(), {}, &CommunicatorSummary::name);
}

class Summariser {
 public:
  Summariser(Profile const& profile, Selection const& selection, Detail detail, Overview&& overview)
      : profile_(profile), selection_(selection) {
    static_cast<Overview&>(summary_) = std::move(overview);
    summary_.detail = detail;
    summary_.site_names = std::make_shared<SiteNames>(profile);
    if (!selection.sites.empty()) summary_.site_names->require();
    names_ = std::make_unique<NameTables>(profile, selection, summary_);
    summary_.ranks.reserve(summary_.selected_ranks);
    for (std::uint32_t rank = 0; rank < summary_.run.ranks; ++rank) {
      if (selection_.selects(WorldRank{rank})) summary_.ranks.push_back({.rank = WorldRank{rank}});
    }
  }

  Summary from_operations() {
    add(add_up_operations(profile_, selection_, summary_, *names_));
    for (CommunicatorSummary const& communicator : summary_.communicators) {
      for (OperationSummary const& operation : communicator.operations) {
        for (SizeTotals const& one : operation.sizes)
          if (one.totals.bytes() > 0) sizes_with_data_[one.size] += one.totals;
      }
    }
    return finish();
  }

  // Nothing if summary.csv cannot answer the question.
  std::optional<Summary> from_sums() {
    std::vector<FileSums> sums = add_up_sums(profile_, selection_, summary_, *names_);
    if (!std::ranges::all_of(sums, &FileSums::summary_csv_suffices) || has_communicator_twice(sums))
      return std::nullopt;
    for (RankSummary& one : summary_.ranks)
      one.totals.time_s = summary_.times_of_rank[static_cast<std::size_t>(one.rank)].mpi_s;
    add(std::move(sums));
    return finish();
  }

  [[nodiscard]] Overview&& overview() { return std::move(summary_); }

 private:
  // Whether a communicator occurs twice, because names that differ in the file look alike when printed. Sums over ranks
  // of the two cannot be joined.
  [[nodiscard]] bool has_communicator_twice(std::vector<FileSums> const& parts) const {
    std::vector<bool> has_come(summary_.communicators.size());
    for (FileSums const& part : parts) {
      for (auto const& [index, sums] : part.communicators) {
        auto const place = static_cast<std::size_t>(index);
        if (has_come[place]) return true;
        has_come[place] = true;
      }
    }
    return false;
  }

  void add(std::vector<FileSums>&& parts) {
    Totals all;
    std::vector<std::uint64_t> callers(summary_.communicators.size());
    for (FileSums& part : parts) {
      if (!add_up(all, part.all)) {
        throw ProfileError(profile_.files().file(commprof::schema::operations.name).shown, std::nullopt,
                           beyond_counting);
      }
      operations_s_ += part.operations_s;
      for (auto& [index, sums] : part.communicators) {
        auto const place = static_cast<std::size_t>(index);
        CommunicatorSummary& one = summary_.communicators[place];
        callers[place] += sums.callers;
        one.totals += sums.totals;
        one.spread.append(sums.spread);
        merge(one.operations, std::move(sums.operations));
      }
      part.communicators = {};
      for (auto const& [size, totals] : part.sizes_with_data) sizes_with_data_[size] += totals;
      for (auto const& [key, spread] : part.site_spreads) summary_.site_spreads[key].append(spread);
    }
    summary_.operations_s = operations_s_;
    for (std::size_t i = 0; i < callers.size(); ++i) finish(summary_.communicators[i], callers[i]);
  }

  void finish(CommunicatorSummary& one, std::uint64_t callers) const {
    // More callers than members: communicators are folded, or the members are unknown.
    one.ranks = std::max(one.ranks, callers);
    bool const may_have_silent_ranks = one.members.empty() && one.name != self_name;
    if (selection_.ranks && one.ranks == 0 && !may_have_silent_ranks) one.selected = false;
  }

  Summary finish() {
    names_->check();
    for (auto const& [size, totals] : sizes_with_data_) summary_.sizes_with_data.push_back({size, totals});
    put_in_order(summary_);
    return std::move(summary_);
  }

  Profile const& profile_;
  Selection const& selection_;
  Summary summary_;
  std::unique_ptr<NameTables> names_;
  Seconds operations_s_;
  std::map<SizeBin, Totals> sizes_with_data_;
};

// The option of the selection or detail that needs rows of single ranks.
std::string_view option_for_rows(Selection const& selection, Detail detail) {
  if (detail.has_ranks) return "--ranks";
  if (selection.ranks) return "--rank";
  if (!selection.regions.empty()) return "--region";
  if (selection.sizes) return "--size";
  if (!selection.sites.empty()) return "--site";
  return "a selection of several operations or communicators";
}

// Whether to try summary.csv; FileSums::summary_csv_suffices then says whether it could answer.
bool can_use_summary_csv(Profile const& profile, Selection const& selection, Detail detail) {
  if (!profile.holds(commprof::schema::summary) || detail.has_ranks) return false;
  if (selection.ranks || selection.sizes || !selection.regions.empty()) return false;
  // Rows of sizes have no call sites, except in rows for each region.
  return selection.sites.empty() || (!detail.by_size && !detail.has_parts);
}

}  // namespace

void merge(std::vector<OperationSummary>& operations, std::vector<OperationSummary>&& others) {
  merge_by(key_of, operations, std::move(others),
           [](OperationSummary& one, OperationSummary&& more) { merge(one, std::move(more)); });
}

Summary summarise(Profile const& profile, Selection const& selection, Detail detail) {
  Overview overview = read_overview(profile, selection);
  if (can_use_summary_csv(profile, selection, detail)) {
    Summariser sums(profile, selection, detail, std::move(overview));
    if (auto summary = sums.from_sums()) return *std::move(summary);
    overview = sums.overview();
  }
  require_rows(profile, selection, option_for_rows(selection, detail));
  return Summariser(profile, selection, detail, std::move(overview)).from_operations();
}

}  // namespace mpisee_through
