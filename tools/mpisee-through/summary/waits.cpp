#include "summary/waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "summary/group_by.hpp"
#include "summary/text_map.hpp"

namespace mpisee_through {
namespace {

namespace schema = commprof::schema;

constexpr std::string_view finalize = "Finalize";  // not in operations.csv: it ends after the profile is written

// Older profiles of hosts without a common clock have an upper bound of the waiting in collectives. It has no last
// rank.
bool is_upper_bound(WaitRow const& row) { return row.kind == WaitKind::collective && !row.instants && !row.last_rank; }

class WaitReader {
 public:
  WaitReader(Profile const& profile, Summary const& summary, Selection const& selection, WaitDetail detail)
      : profile_(profile),
        summary_(summary),
        selection_(selection),
        detail_(detail),
        calls_(summary, summary.operations()) {}

  Waits run() {
    add_operations();
    if (selection_.ranks) forget_other_ranks();
    bool const needs_ranks = selection_.ranks || detail_ == WaitDetail::ranks;
    if (!needs_ranks && !summary_.waiting_of_rank.empty()) waits_.measured_of_rank = summary_.waiting_of_rank;
    else if (needs_ranks || profile_.holds(schema::waits_by_rank)) add_ranks();
    if (detail_ == WaitDetail::pairs && profile_.holds(schema::waits_by_pair)) waits_.pairs = pairs();
    for (auto* const list : {&waits_.operations, &waits_.pending}) {
      for (OperationWaiting& one : *list)
        std::ranges::sort(one.by_rank, {}, [](RankWaiting const& of) { return std::pair(-of.wait_s, of.rank); });
      if (selection_.ranks) std::erase_if(*list, [](OperationWaiting const& one) { return one.ranks == 0; });
      std::ranges::stable_sort(*list, {}, &OperationWaiting::order);
    }
    return std::move(waits_);
  }

  std::vector<PairWaiting> pairs() {
    std::vector<PairWaiting> pairs;
    PairWaitRows rows(profile_);
    while (PairWaitRow const* row = rows.next()) {
      if (!all_.add(total_of(*row))) rows.fail(beyond_counting);
      auto const found = calls_.find(row->communicator, row->operation);
      if (found.empty() || !selection_.selects(row->rank)) continue;
      pairs.push_back({found.front().communicator, found.front().operation, row->kind, row->rank, row->for_rank,
                       row->wait_s, row->wait_error_s});
    }
    std::ranges::stable_sort(pairs, std::ranges::greater{}, &PairWaiting::wait_s);
    return pairs;
  }

  std::vector<Cause> causes() {
    std::vector<Cause> causes;
    CauseRows rows(profile_);
    while (CauseRow const* row = rows.next()) {
      if (!all_.add(total_of(*row))) rows.fail(beyond_counting);
      std::optional<Cause::Call> call;
      if (auto const found = calls_.find(row->communicator, row->operation); !found.empty())
        call = {found.front().communicator, found.front().operation, find_site(row->site)};
      causes.push_back({call, row->rank, row->caused_s, row->caused_error_s, row->direct_s});
    }
    std::ranges::sort(causes, {}, [](Cause const& one) { return std::tuple(-one.caused_s, one.rank, one.call); });
    return causes;
  }

 private:
  void add_operations() {
    WaitRows rows(profile_);
    while (WaitRow const* row = rows.next()) {
      if (!all_.add(total_of(*row))) rows.fail(beyond_counting);
      if (is_upper_bound(*row)) continue;
      if (row->operation == finalize && selection_.selects_all_but_classes()) waits_.in_finalize = waiting_of(*row, {});
      auto const [known, is_new] = known_.try_emplace(key_of(*row));
      auto const found = calls_.find(row->communicator, row->operation);
      if (found.empty()) continue;
      OperationWaiting const read = waiting_of(*row, found.front());
      std::vector<OperationWaiting>& list = list_of(row->kind);
      if (is_new) known->second = list.size();
      if (is_new) list.push_back(read);
      else list[*known->second].add_calls(read);
    }
  }

  std::vector<OperationWaiting>& list_of(WaitKind kind) {
    return kind == WaitKind::pending ? waits_.pending : waits_.operations;
  }

  [[nodiscard]] OperationWaiting waiting_of(WaitRow const& row, CellKey const& call) const {
    OperationWaiting one;
    static_cast<Waiting&>(one) = {row.time_s, row.wait_s, row.wait_error_s};
    one.communicator = call.communicator;
    one.operation = call.operation;
    one.kind = row.kind;
    one.site = find_site(row.site);
    one.ranks = row.ranks;
    one.calls = row.calls;
    one.instants = row.instants;
    one.unknown_s = row.unknown_share.value_or(0) * row.time_s;
    if (row.last_rank && row.last_share) one.last = {*row.last_rank, *row.last_share};
    if (row.caused_by && row.caused_share) one.causes = {{*row.caused_by, *row.caused_share}};
    one.pattern_share = row.pattern_share;
    return one;
  }

  [[nodiscard]] std::optional<CallSiteIndex> find_site(std::string_view site) const {
    auto const found = std::ranges::lower_bound(summary_.call_sites, site);
    if (site.empty() || found == summary_.call_sites.end() || *found != site) return std::nullopt;
    return static_cast<CallSiteIndex>(found - summary_.call_sites.begin());
  }

  void forget_other_ranks() {
    for (auto* const list : {&waits_.operations, &waits_.pending}) {
      for (OperationWaiting& one : *list) {
        static_cast<Waiting&>(one) = {.error_s = std::nullopt};
        one.ranks = 0;
        one.unknown_s = 0;
        one.calls = totals_of(summary_, one).calls;
        if (one.instants) one.instants = 0;
      }
    }
  }

  void add_ranks() {
    std::vector<Seconds> measured(profile_.run().ranks), known(profile_.run().ranks), waited(profile_.run().ranks);
    // Rows of all kinds at a call site of a rank have the time of the same calls. The rows of a rank follow each other.
    std::set<std::string> sites;
    std::optional<WorldRank> rank_of_sites;
    RankWaitRows rows(profile_);
    while (RankWaitRow const* row = rows.next()) {
      if (!all_.add(total_of(*row))) rows.fail(beyond_counting);
      auto const found = known_.find(key_of(*row));
      if (found == known_.end()) continue;
      if (row->kind != WaitKind::pending) {
        auto const rank = static_cast<std::size_t>(row->rank);
        double const known_part = 1 - row->unknown_share.value_or(0);
        if (row->operation != finalize) measured[rank] += row->wait_s;
        if (std::exchange(rank_of_sites, row->rank) != row->rank) sites.clear();
        bool const is_new =
            sites.insert(fmt::format("{}\n{}\n{}", row->communicator, row->operation, row->site)).second;
        if (is_new) known[rank] += row->time_s * known_part;
        waited[rank] += row->wait_s * known_part;
      }
      if (found->second && selection_.selects(row->rank)) add_rank(list_of(row->kind)[*found->second], *row);
    }
    waits_.measured_of_rank.assign(measured.begin(), measured.end());
    for (std::size_t rank = 0; rank < known.size(); ++rank)
      waits_.moving_of_rank.push_back(std::max(double{known[rank]} - double{waited[rank]}, 0.0));
  }

  void add_rank(OperationWaiting& sum, RankWaitRow const& row) const {
    if (selection_.ranks) {
      sum.time_s += row.time_s;
      sum.wait_s += row.wait_s;
      sum.unknown_s += row.unknown_share.value_or(0) * row.time_s;
      if (sum.instants) *sum.instants += row.instants.value_or(0);
      ++sum.ranks;
    }
    if (detail_ == WaitDetail::ranks) sum.by_rank.push_back({row.rank, row.instants, row.time_s, row.wait_s});
  }

  std::string const& key_of(auto const& row) {
    key_ = fmt::format("{}\n{}\n{}\n{}", name_of(row.kind), row.communicator, row.operation, row.site);
    return key_;
  }

  Profile const& profile_;
  Summary const& summary_;
  Selection const& selection_;
  WaitDetail detail_;
  Waits waits_;
  CallFinder calls_;
  // By key_of(): the rows of waits.csv that count. The index in list_of(); nothing if the operation is not selected.
  TextMap<std::optional<std::size_t>> known_;
  std::string key_;
  RowTotal all_;
};

}  // namespace

// The instants in different calls are independent, so their variances add up.
Waiting& Waiting::operator+=(Waiting const& other) {
  time_s += other.time_s;
  wait_s += other.wait_s;
  error_s = error_s && other.error_s ? std::optional(std::hypot(*error_s, *other.error_s)) : std::nullopt;
  return *this;
}

std::span<OperationWaiting const> Waits::at(CommunicatorIndex communicator, OperationIndex operation) const {
  auto const place_of = [](OperationWaiting const& one) { return std::pair(one.communicator, one.operation); };
  return with_key(operations, std::pair(communicator, operation), place_of);
}

std::optional<double> Waits::wait_s_on(CommunicatorIndex communicator) const {
  std::optional<double> sum_s;
  auto one = std::ranges::lower_bound(operations, communicator, {}, &OperationWaiting::communicator);
  for (; one != operations.end() && one->communicator == communicator; ++one) sum_s = sum_s.value_or(0) + one->wait_s;
  return sum_s;
}

std::vector<PairWaiting> read_waiting_pairs(Profile const& profile, Summary const& summary,
                                            Selection const& selection) {
  return WaitReader(profile, summary, selection, WaitDetail::pairs).pairs();
}

std::vector<Cause> read_causes(Profile const& profile, Summary const& summary, Selection const& selection) {
  return WaitReader(profile, summary, selection, WaitDetail::operations).causes();
}

Waits read_waits(Profile const& profile, Summary const& summary, Selection const& selection, WaitDetail detail) {
  return WaitReader(profile, summary, selection, detail).run();
}

Waits read_known_waits(Profile const& profile, Summary const& summary, Selection const& selection, WaitDetail detail) {
  bool const files_suffice = selection.regions.empty() && selection.sites.empty() && !selection.sizes;
  bool const has_ranks = profile.holds(schema::waits_by_rank);
  bool const has_files = profile.holds(schema::waits) && (!selection.ranks || has_ranks);
  if (detail == WaitDetail::ranks && !has_ranks) detail = WaitDetail::operations;
  return files_suffice && has_files ? read_waits(profile, summary, selection, detail) : Waits{};
}

Totals const& totals_of(Summary const& summary, OperationWaiting const& waiting) {
  Cell const& operation = *summary.operation(waiting.communicator, waiting.operation);
  if (!waiting.site || !summary.lists.contains(by_comm | by_op | by_site)) return operation.totals;
  auto const sites = summary.parts_of(operation, by_site);
  auto const site = std::ranges::find(sites, *waiting.site, &Cell::site);
  return site == sites.end() ? operation.totals : site->totals;
}

}  // namespace mpisee_through
