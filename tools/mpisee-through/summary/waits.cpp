#include "summary/waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>

#include "files/visible_text.hpp"
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
auto order_of(OperationWaiting const& one) { return std::tuple(one.communicator, one.operation, one.site, one.kind); }

// The calls that the waiting is of.
Totals const& totals_of(Summary const& summary, OperationWaiting const& waiting) {
  OperationSummary const& operation = summary_of(summary, waiting);
  if (!waiting.site) return operation.totals;
  auto const site = std::ranges::find(operation.sites, *waiting.site, &SiteTotals::site);
  return site == operation.sites.end() ? operation.totals : site->totals;
}

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
    for (auto* const list : {&waits_.operations, &waits_.messages}) {
      for (OperationWaiting& one : *list) std::ranges::sort(one.by_rank, {}, &RankWaiting::rank);
      std::ranges::stable_sort(*list, {}, order_of);
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
    for (auto* const list : {&waits_.operations, &waits_.messages}) {
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
    std::vector<Seconds> measured(profile_.run().ranks);
    RankWaitRows rows(profile_);
    while (RankWaitRow const* row = rows.next()) {
      check_sum(rows, row->time_s + row->wait_s, row->samples);
      auto const known = known_.find(key_of(*row));
      bool const is_known = known != known_.end();
      bool const is_measured = row->kind != WaitKind::collective || (is_known && !known->second.is_upper_bound);
      if (is_measured) measured[static_cast<std::size_t>(row->rank)] += row->wait_s;
      if (!is_known || !known->second.waiting || !selection_.selects(row->rank)) continue;
      OperationWaiting& one = list_of(row->kind)[*known->second.waiting];
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
  }

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
    if (row.kind != WaitKind::collective) key_.append(1, '\n').append(row.kind_name).append(1, '\n').append(row.site);
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

// The value by which operations are sorted, descending.
double weight(Summary const& summary, OperationWaiting const& one, SortKey key) {
  switch (key) {
    case SortKey::calls:
      return static_cast<double>(one.calls);
    case SortKey::volume:
      return static_cast<double>(totals_of(summary, one).bytes());
    case SortKey::size:
      return static_cast<double>(summary.communicator(one.communicator).size);
    case SortKey::imbalance:
      return summary.communicator(one.communicator).imbalance(summary_of(summary, one)).value_or(-1);
    case SortKey::name:
      return 0;
    case SortKey::time:
      break;
  }
  return one.wait_s;
}

}  // namespace

std::optional<double> Waiting::share() const { return share_of(wait_s, time_s); }

std::optional<double> Waiting::share_error() const {
  return time_s > 0 && error_s ? std::optional(*error_s / time_s) : std::nullopt;
}

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

std::optional<Waiting> Waits::on(CommunicatorIndex communicator) const {
  auto const first = std::ranges::lower_bound(operations, communicator, {}, &OperationWaiting::communicator);
  auto const last = std::ranges::upper_bound(operations, communicator, {}, &OperationWaiting::communicator);
  return sum_of({first, last});
}

std::optional<Waiting> Waits::in_all() const { return sum_of(operations); }

Waits read_waits(Profile const& profile, Summary const& summary, Selection const& selection, WaitDetail detail) {
  return WaitReader(profile, summary, selection, detail).run();
}

Waits read_known_waits(Profile const& profile, Summary const& summary, Selection const& selection) {
  bool const files_suffice = selection.regions.empty() && selection.sites.empty() && !selection.sizes;
  bool const has_files = profile.holds(schema::waits) && (!selection.ranks || profile.holds(schema::waits_by_rank));
  return files_suffice && has_files ? read_waits(profile, summary, selection, WaitDetail::operations) : Waits{};
}

OperationSummary const& summary_of(Summary const& summary, OperationWaiting const& waiting) {
  auto const& operations = summary.communicator(waiting.communicator).operations;
  return *std::ranges::find(operations, waiting.operation, &OperationSummary::operation);
}

std::vector<OperationWaiting const*> arrange_waits(Summary const& summary, std::span<OperationWaiting const> operations,
                                                   Arrangement const& arrangement) {
  std::vector<OperationWaiting const*> order;
  for (OperationWaiting const& one : operations) order.push_back(&one);
  std::ranges::sort(order, [&](OperationWaiting const* left, OperationWaiting const* right) {
    double const left_weight = weight(summary, *left, arrangement.key);
    double const right_weight = weight(summary, *right, arrangement.key);
    if (left_weight != right_weight) return left_weight > right_weight;
    if (left->communicator != right->communicator)
      return name_less(summary.communicator(left->communicator).name, summary.communicator(right->communicator).name);
    if (left->operation != right->operation)
      return name_less(summary.name_of(left->operation), summary.name_of(right->operation));
    return order_of(*left) < order_of(*right);
  });
  if (arrangement.top && *arrangement.top < order.size()) order.resize(*arrangement.top);
  return order;
}

std::vector<RankWaits> arrange_rank_waits(Summary const& summary, Waits const& waits, Arrangement const& arrangement) {
  std::vector<RankWaits> blocks;
  std::size_t room = arrangement.top.value_or(SIZE_MAX);
  for (OperationWaiting const* one : arrange_waits(summary, waits.operations, {arrangement.key, {}})) {
    if (room == 0) break;
    blocks.push_back({one, arrange_ranks(*one, room)});
    room -= blocks.back().ranks.size();
  }
  return blocks;
}

std::vector<RankWaiting> arrange_ranks(OperationWaiting const& waiting, std::optional<std::size_t> top) {
  std::vector<RankWaiting> order = waiting.by_rank;
  std::ranges::sort(order, [](RankWaiting const& left, RankWaiting const& right) {
    return std::tuple(right.last, left.wait_s, left.rank) < std::tuple(left.last, right.wait_s, right.rank);
  });
  if (top && *top < order.size()) order.erase(order.begin() + static_cast<std::ptrdiff_t>(*top), order.end());
  return order;
}

std::string describe_share(Waiting const& waiting) {
  if (!waiting.share()) return "-";
  std::string text = fmt::format("{}{:.1f}", waiting.is_upper_bound ? "at most " : "", *waiting.share() * 100);
  // An error that would round to 0.0 is shown as 0.1, so that it does not look exact.
  if (auto const error = waiting.share_error()) text += fmt::format(" ± {:.1f}", std::max(*error * 100, 0.1));
  return text + " %";
}

std::string waiting_in_words(Summary const& summary, OperationWaiting const& waiting) {
  CommunicatorSummary const& communicator = summary.communicator(waiting.communicator);
  std::string text = fmt::format(
      "{} of {} on {} ({}){} is waiting for all to come", describe_share(waiting), summary.name_of(waiting.operation),
      communicator.name, format_number_of(communicator.size, "rank"), called_at(summary, summary_of(summary, waiting)));
  if (text.front() == 'a') text.front() = 'A';
  if (!waiting.last) return text;
  text += fmt::format("; rank {} comes last in {} of the calls", static_cast<std::uint32_t>(waiting.last->rank),
                      format_share(waiting.last->share));
  if (waiting.last->late_s)
    text += fmt::format(", {} after the mean of the others", format_seconds(*waiting.last->late_s));
  return text;
}

}  // namespace mpisee_through
