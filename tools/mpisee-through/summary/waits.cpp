#include "summary/waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

#include "files/visible_text.hpp"
#include "summary/operation_kind.hpp"
#include "summary/sites.hpp"
#include "summary/text_map.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

namespace schema = commprof::schema;

// The sum if both are known.
std::optional<double> sum(std::optional<double> left, std::optional<double> right) {
  return left && right ? std::optional(*left + *right) : std::nullopt;
}

auto place_of(OperationWaiting const& one) { return std::pair(one.communicator, one.operation); }

class WaitReader {
 public:
  WaitReader(Profile const& profile, Summary const& summary, Selection const& selection, WaitDetail detail)
      : profile_(profile), summary_(summary), selection_(selection), detail_(detail) {
    for (std::size_t i = 0; i < summary.communicators.size(); ++i)
      communicator_by_name_.emplace(summary.communicators[i].name, static_cast<CommunicatorIndex>(i));
  }

  Waits run() {
    add_operations();
    if (selection_.ranks) forget_other_ranks();
    bool const needs_ranks = selection_.ranks || detail_ == WaitDetail::ranks;
    if (!needs_ranks && !summary_.waiting_of_rank.empty()) waits_.measured_of_rank = summary_.waiting_of_rank;
    else if (needs_ranks || profile_.holds(schema::waits_by_rank)) add_ranks();
    if (detail_ == WaitDetail::pairs && profile_.holds(schema::waits_by_pair)) add_pairs();
    for (auto* const list : {&waits_.operations, &waits_.messages, &waits_.pending}) {
      for (OperationWaiting& one : *list) std::ranges::sort(one.by_rank, {}, &RankWaiting::rank);
      std::ranges::stable_sort(*list, {}, &OperationWaiting::order);
      if (selection_.ranks) std::erase_if(*list, [](OperationWaiting const& one) { return one.ranks == 0; });
    }
    return std::move(waits_);
  }

 private:
  // An operation of the file. waiting: its index among the selected collectives or operations for messages.
  struct Known {
    std::optional<std::size_t> waiting;
    bool is_upper_bound = false;
  };

  void add_operations() {
    WaitRows rows(profile_);
    while (WaitRow const* row = rows.next()) {
      check_sum(rows, row->time_s + row->wait_s, row->calls);
      auto const [known, is_new] = known_.try_emplace(key_of(*row));
      if (is_new) known->second.waiting = add_operation(*row);
      known->second.is_upper_bound |= row->is_upper_bound;
      if (!known->second.waiting) continue;
      OperationWaiting& one = list_of(row->kind)[*known->second.waiting];
      one += Waiting{row->time_s, row->wait_s, row->wait_error_s, row->is_upper_bound};
      one.ranks += row->ranks;
      one.calls += row->calls;
      one.samples += row->samples;
      one.move_s = is_new ? row->move_s : sum(one.move_s, row->move_s);
      one.rest_s = is_new ? row->rest_s : sum(one.rest_s, row->rest_s);
      one.unknown_s += row->unknown_share.value_or(0) * row->time_s;
      bool const has_last = is_new && row->last_rank && row->last_share;
      one.last = has_last ? std::optional(Latecomer{*row->last_rank, *row->last_share, row->late_s}) : std::nullopt;
      bool const has_cause = is_new && row->caused_by && row->caused_share;
      one.cause = has_cause ? std::optional(Latecomer{*row->caused_by, *row->caused_share}) : std::nullopt;
    }
  }

  std::vector<OperationWaiting>& list_of(WaitKind kind) {
    if (kind == WaitKind::pending) return waits_.pending;
    return kind == WaitKind::collective ? waits_.operations : waits_.messages;
  }

  using Place = std::pair<CommunicatorIndex, OperationIndex>;
  // Nothing if the operation is not selected.
  [[nodiscard]] std::optional<Place> find(std::string_view communicator, std::string_view operation) const {
    auto const found = communicator_by_name_.find(visible(communicator));
    if (found == communicator_by_name_.end()) return std::nullopt;
    std::string const name = visible(operation);
    for (OperationSummary const& one : summary_.communicator(found->second).operations)
      if (summary_.name_of(one.operation) == name) return Place(found->second, one.operation);
    return std::nullopt;
  }

  [[nodiscard]] std::optional<CallSiteIndex> find_site(std::string_view site) const {
    auto const found = std::ranges::lower_bound(summary_.call_sites, site);
    if (site.empty() || found == summary_.call_sites.end() || *found != site) return std::nullopt;
    return static_cast<CallSiteIndex>(found - summary_.call_sites.begin());
  }

  std::optional<std::size_t> add_operation(WaitRow const& row) {
    auto const place = find(row.communicator, row.operation);
    if (!place) return std::nullopt;
    OperationWaiting& added = list_of(row.kind).emplace_back();
    std::tie(added.communicator, added.operation) = *place;
    added.kind = row.kind;
    added.site = find_site(row.site);
    return list_of(row.kind).size() - 1;
  }

  void forget_other_ranks() {
    for (auto* const list : {&waits_.operations, &waits_.messages, &waits_.pending}) {
      for (OperationWaiting& one : *list) {
        static_cast<Waiting&>(one) = {.is_upper_bound = one.is_upper_bound};
        one.error_s = one.move_s = one.rest_s = std::nullopt;
        one.ranks = 0;
        one.unknown_s = 0;
        one.calls = totals_of(summary_, one).calls;
        if (one.is_of_messages()) one.samples = 0;
      }
    }
  }

  void add_ranks() {
    std::vector<Seconds> measured(profile_.run().ranks), known(profile_.run().ranks), waited(profile_.run().ranks);
    CallSiteOfRank last;
    RankWaitRows rows(profile_);
    while (RankWaitRow const* row = rows.next()) {
      check_sum(rows, row->time_s + row->wait_s, row->samples);
      auto const found = known_.find(key_of(*row));
      bool const is_known = found != known_.end();
      bool const is_measured = row->kind != WaitKind::collective || (is_known && !found->second.is_upper_bound);
      auto const rank = static_cast<std::size_t>(row->rank);
      double const known_part = 1 - row->unknown_share.value_or(0);
      if (is_measured && row->kind != WaitKind::pending) {
        measured[rank] += row->wait_s;
        if (last.is_another(*row)) known[rank] += row->time_s * known_part;
        waited[rank] += row->wait_s * known_part;
      }
      if (!is_known || !found->second.waiting || !selection_.selects(row->rank)) continue;
      OperationWaiting& one = list_of(row->kind)[*found->second.waiting];
      if (selection_.ranks) {
        one.time_s += row->time_s;
        one.wait_s += row->wait_s;
        one.unknown_s += row->unknown_share.value_or(0) * row->time_s;
        if (one.is_of_messages()) one.samples += row->samples;
        ++one.ranks;
      }
      if (detail_ == WaitDetail::ranks)
        one.by_rank.push_back({row->rank, row->samples, row->time_s, row->wait_s, row->last});
    }
    waits_.measured_of_rank.assign(measured.begin(), measured.end());
    for (std::size_t rank = 0; rank < known.size(); ++rank)
      waits_.moving_of_rank.push_back(std::max(double{known[rank]} - double{waited[rank]}, 0.0));
  }

  // Rows of both kinds at a call site of a rank follow each other, and have the time of the same calls.
  class CallSiteOfRank {
   public:
    bool is_another(RankWaitRow const& row) {
      std::string place = fmt::format("{}\n{}\n{}\n{}", static_cast<std::uint32_t>(row.rank), row.communicator,
                                      row.operation, row.site);
      bool const is_same = row.kind != WaitKind::collective && place == place_;
      place_ = std::move(place);
      return !is_same;
    }

   private:
    std::string place_;
  };

  void add_pairs() {
    PairWaitRows rows(profile_);
    while (PairWaitRow const* row = rows.next()) {
      check_sum(rows, row->wait_s, 0);
      auto const place = find(row->communicator, row->operation);
      if (!place || !selection_.selects(row->rank)) continue;
      waits_.pairs.push_back(
          {place->first, place->second, row->kind, row->rank, row->for_rank, row->wait_s, row->wait_error_s});
    }
    std::ranges::stable_sort(waits_.pairs, std::ranges::greater{}, &PairWaiting::wait_s);
  }

  template <class Rows>
  void check_sum(Rows& rows, double seconds, std::uint64_t count) {
    all_s_ += seconds;
    if (!std::isfinite(all_s_) || __builtin_add_overflow(all_, count, &all_)) rows.fail(beyond_counting);
  }

  std::string const& key_of(auto const& row) {
    key_.assign(row.communicator).append(1, '\n').append(row.operation);
    if (row.kind != WaitKind::collective)
      key_.append(1, '\n').append(name_of(row.kind)).append(1, '\n').append(row.site);
    return key_;
  }

  Profile const& profile_;
  Summary const& summary_;
  Selection const& selection_;
  WaitDetail detail_;
  Waits waits_;
  TextMap<CommunicatorIndex> communicator_by_name_;
  TextMap<Known> known_;  // by key_of(): communicator and operation, of messages also kind and site
  std::string key_;
  double all_s_ = 0;
  std::uint64_t all_ = 0;
};

std::optional<Waiting> sum_of(std::span<OperationWaiting const> operations) {
  std::optional<Waiting> sum;
  for (OperationWaiting const& one : operations) sum = sum.value_or(Waiting{}) += one;
  return sum;
}

}  // namespace

std::optional<double> Waiting::share() const { return share_of(wait_s, time_s); }

std::optional<double> Waiting::share_error() const { return error_s ? share_of(*error_s, time_s) : std::nullopt; }

std::optional<double> OperationWaiting::unknown_share() const {
  return is_of_messages() ? share_of(unknown_s, time_s) : std::nullopt;
}

// The samples of different operations are independent, so their variances add up.
Waiting& Waiting::operator+=(Waiting const& other) {
  time_s += other.time_s;
  wait_s += other.wait_s;
  error_s = error_s && other.error_s ? std::optional(std::hypot(*error_s, *other.error_s)) : std::nullopt;
  is_upper_bound |= other.is_upper_bound;
  return *this;
}

bool Waits::has_measured() const {
  return std::ranges::any_of(measured_of_rank, [](double wait_s) { return wait_s > 0; });
}

OperationWaiting const* Waits::find(CommunicatorIndex communicator, OperationIndex operation) const {
  auto const found = std::ranges::lower_bound(operations, std::pair(communicator, operation), {}, place_of);
  return found == operations.end() || place_of(*found) != std::pair(communicator, operation) ? nullptr : &*found;
}

std::span<OperationWaiting const> Waits::messages_of(CommunicatorIndex communicator, OperationIndex operation) const {
  std::pair const place(communicator, operation);
  return {std::ranges::lower_bound(messages, place, {}, place_of),
          std::ranges::upper_bound(messages, place, {}, place_of)};
}

std::optional<Waiting> Waits::on(CommunicatorIndex communicator) const {
  auto const first = std::ranges::lower_bound(operations, communicator, {}, &OperationWaiting::communicator);
  auto const last = std::ranges::upper_bound(operations, communicator, {}, &OperationWaiting::communicator);
  return sum_of({first, last});
}

std::optional<Waiting> Waits::in_all() const { return sum_of(operations); }

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
  OperationSummary const& operation = summary_of(summary, waiting);
  if (!waiting.site) return operation.totals;
  auto const site = std::ranges::find(operation.sites, *waiting.site, &SiteTotals::site);
  return site == operation.sites.end() ? operation.totals : site->totals;
}

OperationSummary const& summary_of(Summary const& summary, OperationWaiting const& waiting) {
  auto const& operations = summary.communicator(waiting.communicator).operations;
  return *std::ranges::find(operations, waiting.operation, &OperationSummary::operation);
}

}  // namespace mpisee_through
