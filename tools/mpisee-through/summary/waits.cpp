#include "summary/waits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "reader/group_by.hpp"
#include "summary/operation_kind.hpp"
#include "text/units.hpp"

namespace mpisee_through {
namespace {

namespace schema = commprof::schema;

constexpr std::string_view finalize = "Finalize";  // not in operations.csv: it ends after the profile is written

// Older profiles of hosts without a common clock have an upper bound of the waiting in collectives. It has no last
// rank.
bool is_upper_bound(WaitRow const& row) { return row.kind == WaitKind::collective && !row.instants && !row.last_rank; }

std::optional<CallSiteIndex> find_site(Summary const& summary, std::string_view site) {
  auto const found = std::ranges::lower_bound(summary.call_sites, site);
  if (site.empty() || found == summary.call_sites.end() || *found != site) return std::nullopt;
  return static_cast<CallSiteIndex>(found - summary.call_sites.begin());
}

class WaitReader {
 public:
  WaitReader(Profile const& profile, Summary const& summary, Selection const& selection)
      : profile_(profile), summary_(summary), selection_(selection), calls_(summary, summary.operations()) {}

  Waits run(bool with_ranks) {
    for_each_row<WaitRow>(profile_, [&](WaitRow const& row) { add(row); });
    if (selection_.ranks || with_ranks) add_ranks(with_ranks);
    for (auto& [order, one] : sums_) {
      if (selection_.ranks && one.ranks == 0) continue;
      std::ranges::sort(one.by_rank, {}, [](RankWaiting const& of) { return std::pair(-of.wait_s, of.rank); });
      (one.kind == WaitKind::pending ? waits_.pending : waits_.operations).push_back(std::move(one));
    }
    return std::move(waits_);
  }

 private:
  void add(WaitRow const& row) {
    if (is_upper_bound(row)) return;
    if (row.operation == finalize && selection_.selects_all_but_classes()) waits_.in_finalize = waiting_of(row, {});
    auto const found = calls_.find(row.communicator, row.operation);
    if (found.empty()) return;
    OperationWaiting const read = waiting_of(row, found.front());
    auto const [known, is_new] = sums_.try_emplace(read.order(), read);
    if (!is_new) known->second.add_calls(read);
    OperationWaiting& sum = known->second;
    if (!selection_.ranks) return;
    // Those of selected ranks are added later.
    sum.time_s = sum.wait_s = sum.unknown_s = 0;
    sum.error_s.reset();
    sum.ranks = 0;
    sum.calls = calls_of(sum);
    if (sum.instants) sum.instants = 0;
  }

  [[nodiscard]] OperationWaiting waiting_of(WaitRow const& row, CellKey const& call) const {
    OperationWaiting one;
    one.time_s = row.time_s;
    one.wait_s = row.wait_s;
    one.error_s = row.wait_error_s;
    one.communicator = call.communicator;
    one.operation = call.operation;
    one.kind = row.kind;
    one.site = find_site(summary_, row.site);
    one.ranks = row.ranks;
    one.calls = row.calls;
    one.instants = row.instants;
    one.unknown_s = row.unknown_share.value_or(0) * row.time_s;
    if (row.last_rank && row.last_share) one.last = {*row.last_rank, *row.last_share};
    if (row.caused_by && row.caused_share) one.causes = {{*row.caused_by, *row.caused_share}};
    one.pattern_share = row.pattern_share;
    return one;
  }

  // The calls at the call site, if it is known.
  [[nodiscard]] std::uint64_t calls_of(OperationWaiting const& waiting) const {
    Cell const& operation = *summary_.operation(waiting.communicator, waiting.operation);
    if (waiting.site && summary_.lists.contains(by_comm | by_op | by_site))
      for (Cell const& at_site : summary_.parts_of(operation, by_site))
        if (at_site.site == *waiting.site) return at_site.totals.calls;
    return operation.totals.calls;
  }

  void add_ranks(bool with_ranks) {
    for_each_row<RankWaitRow>(profile_, [&](RankWaitRow const& row) {
      auto const found = calls_.find(row.communicator, row.operation);
      if (found.empty() || !selection_.selects(row.rank)) return;
      auto const known =
          sums_.find({found.front().communicator, found.front().operation, find_site(summary_, row.site), row.kind});
      if (known == sums_.end()) return;
      OperationWaiting& sum = known->second;
      if (with_ranks) sum.by_rank.push_back({row.rank, row.instants, row.time_s, row.wait_s});
      if (!selection_.ranks) return;
      sum.time_s += row.time_s;
      sum.wait_s += row.wait_s;
      sum.unknown_s += row.unknown_share.value_or(0) * row.time_s;
      if (sum.instants) *sum.instants += row.instants.value_or(0);
      ++sum.ranks;
    });
  }

  Profile const& profile_;
  Summary const& summary_;
  Selection const& selection_;
  CallFinder calls_;
  Waits waits_;
  std::map<decltype(OperationWaiting().order()), OperationWaiting> sums_;
};

}  // namespace

std::span<OperationWaiting const> Waits::at(CommunicatorIndex communicator, OperationIndex operation) const {
  auto const place_of = [](OperationWaiting const& one) { return std::pair(one.communicator, one.operation); };
  return with_key(operations, std::pair(communicator, operation), place_of);
}

std::optional<double> Waits::wait_s_on(CommunicatorIndex communicator) const {
  auto const on_it = with_key(operations, communicator, &OperationWaiting::communicator);
  if (on_it.empty()) return {};
  double sum_s = 0;
  std::optional<std::uint64_t> instants = 0;
  for (OperationWaiting const& one : on_it) {
    sum_s += one.wait_s;
    instants = instants && one.instants ? std::optional(*instants + *one.instants) : std::nullopt;
  }
  return are_enough(instants) ? std::optional(sum_s) : std::nullopt;
}

std::vector<PairWaiting> read_waiting_pairs(Profile const& profile, Summary const& summary,
                                            Selection const& selection) {
  CallFinder const calls(summary, summary.operations());
  std::vector<PairWaiting> pairs;
  for_each_row<PairWaitRow>(profile, [&](PairWaitRow const& row) {
    auto const found = calls.find(row.communicator, row.operation);
    if (!found.empty() && selection.selects(row.rank))
      pairs.push_back({found.front().communicator, found.front().operation, row.kind, row.rank, row.for_rank,
                       row.wait_s, row.wait_error_s});
  });
  std::ranges::stable_sort(pairs, std::ranges::greater{}, &PairWaiting::wait_s);
  return pairs;
}

std::vector<Cause> read_causes(Profile const& profile, Summary const& summary) {
  CallFinder const calls(summary, summary.operations());
  std::vector<Cause> causes;
  for_each_row<CauseRow>(profile, [&](CauseRow const& row) {
    std::optional<Cause::Call> call;
    if (auto const found = calls.find(row.communicator, row.operation); !found.empty())
      call = {found.front().communicator, found.front().operation, find_site(summary, row.site)};
    causes.push_back({call, row.rank, row.caused_s, row.caused_error_s, row.direct_s});
  });
  std::ranges::sort(causes, {}, [](Cause const& one) { return std::tuple(-one.caused_s, one.rank, one.call); });
  return causes;
}

Waits read_waits(Profile const& profile, Summary const& summary, Selection const& selection, bool with_ranks) {
  return WaitReader(profile, summary, selection).run(with_ranks);
}

Waits read_known_waits(Profile const& profile, Summary const& summary, Selection const& selection) {
  bool const files_suffice = selection.regions.empty() && selection.sites.empty() && !selection.sizes;
  bool const has_files = profile.holds(schema::waits) && (!selection.ranks || profile.holds(schema::waits_by_rank));
  return files_suffice && has_files ? read_waits(profile, summary, selection) : Waits{};
}

namespace {

using WaitOfRanks = std::map<WorldRank, double>;

// Their shares in a sum, most first.
std::vector<RankShare> shares_of(WaitOfRanks const& of_rank, double wait_s) {
  std::vector<RankShare> shares;
  if (wait_s > 0)
    for (auto const& [rank, its_s] : of_rank) shares.push_back({rank, its_s / wait_s});
  std::ranges::stable_sort(shares, std::ranges::greater{}, &RankShare::share);
  return shares;
}

}  // namespace

// The instants in different calls are independent, so their variances add up.
OperationWaiting& OperationWaiting::add_calls(OperationWaiting const& other) {
  time_s += other.time_s;
  wait_s += other.wait_s;
  error_s = error_s && other.error_s ? std::optional(std::hypot(*error_s, *other.error_s)) : std::nullopt;
  ranks = std::max(ranks, other.ranks);
  calls += other.calls;
  instants = instants && other.instants ? std::optional(*instants + *other.instants) : std::nullopt;
  unknown_s += other.unknown_s;
  last.reset();
  causes.clear();
  pattern_share.reset();
  return *this;
}

// Each kind has the time of all calls at a call site; an instant is of one kind at most.
std::optional<OperationWaiting> sum_of_waiting(std::span<OperationWaiting const> operations) {
  std::optional<OperationWaiting> sum;
  auto const place = [](OperationWaiting const& one) { return std::tuple(one.communicator, one.operation, one.site); };
  while (!operations.empty()) {
    OperationWaiting of_site = operations.front();
    for (operations = operations.subspan(1); !operations.empty() && place(operations.front()) == place(of_site);
         operations = operations.subspan(1)) {
      OperationWaiting const before = of_site;
      OperationWaiting const& kind = operations.front();
      of_site.add_calls(kind);
      of_site.time_s = std::max(before.time_s, kind.time_s);
      of_site.unknown_s = std::max(before.unknown_s, kind.unknown_s);
      of_site.calls = before.calls;
      of_site.instants = std::min(before.instants, kind.instants);
    }
    if (sum) sum->add_calls(of_site);
    else sum = of_site;
  }
  return sum;
}

std::optional<OperationWaiting> over_call_sites(std::span<OperationWaiting const> operations, WaitKind kind) {
  std::optional<OperationWaiting> sum;
  OperationWaiting const* most = nullptr;
  WaitOfRanks last, causes;
  std::optional<double> pattern_s;
  for (OperationWaiting const& one : operations) {
    if (one.kind != kind) continue;
    if (one.last) last[one.last->rank] += one.last->share * one.wait_s;
    for (RankShare const& cause : one.causes) causes[cause.rank] += cause.share * one.wait_s;
    if (one.pattern_share) pattern_s = pattern_s.value_or(0) + *one.pattern_share * one.wait_s;
    if (most == nullptr || one.wait_s > most->wait_s) most = &one;
    if (sum) sum->add_calls(one).site_share = 0;
    else sum = one;
  }
  if (!sum) return sum;
  sum->site = most->site;
  if (sum->site_share && sum->wait_s > 0) sum->site_share = most->wait_s / sum->wait_s;
  auto const awaited = shares_of(last, sum->wait_s);
  sum->last = awaited.empty() ? std::nullopt : std::optional(awaited.front());
  sum->causes = shares_of(causes, sum->wait_s);
  sum->pattern_share = pattern_s ? share_of(*pattern_s, sum->wait_s) : std::nullopt;
  return sum;
}

OperationWaiting::Culprits OperationWaiting::culprits() const {
  Culprits found;
  if (causes.empty() || is_mostly_pattern()) return found;
  for (RankShare const& one : causes) {
    if (one.share < causes.front().share / 2) break;
    found.ranks.push_back(static_cast<std::uint32_t>(one.rank));
    found.share += one.share;
  }
  std::ranges::sort(found.ranks);
  return found;
}

std::string describe_share(OperationWaiting const& waiting) {
  if (!waiting.has_enough_instants() || !waiting.share()) return "-";
  if (waiting.wait_s > 0 || !waiting.instants) return format_share(*waiting.share(), waiting.share_error());
  // If none of n instants is in the waiting, its share is at most 3 / n with a probability of 95 %.
  return fmt::format("at most {:.1f} %", std::max(300 / static_cast<double>(*waiting.instants), 0.1));
}

std::string_view awaited_in_words(WaitKind kind) {
  constexpr std::array<std::string_view, commprof::wait_kind_names.size()> words{
      "all to come", "late senders", "late receivers", "others to enter MPI", "requests"};
  return words[static_cast<std::size_t>(kind)];
}

namespace {

// Words to follow the operation, or of several call sites what is waited for. Of several call sites, names the one with
// most of the waiting.
std::string at_site(Summary const& summary, OperationWaiting const& waiting) {
  if (!waiting.site) return "";
  std::string const line = summary.site_names->line(summary.site(*waiting.site));
  return waiting.site_share ? fmt::format(", {} of it at {}", format_share(*waiting.site_share), line) : " at " + line;
}

std::string because_of(OperationWaiting const& waiting) {
  if (auto const culprits = waiting.culprits(); !culprits.ranks.empty())
    return fmt::format("; {} {} {} of it{}", ranks_in_words(culprits.ranks),
                       culprits.ranks.size() == 1 ? "causes" : "cause", format_share(culprits.share),
                       culprits.stand_out() ? "" : ", the most");
  if (waiting.is_mostly_pattern())
    return fmt::format(
        "; in {} of it no rank is late by itself: each is at times, or the order of calls makes them wait",
        format_share(waiting.pattern_share));
  return "";
}

}  // namespace

std::string waiting_in_words(Summary const& summary, OperationWaiting const& waiting) {
  CommunicatorSummary const& communicator = summary.communicator(waiting.communicator);
  std::string const share = waiting.has_enough_instants() ? describe_share(waiting)
                                                          : fmt::format("{} of {}", format_seconds(waiting.wait_s),
                                                                        format_seconds(waiting.time_s));
  std::string const at = at_site(summary, waiting);
  std::string text =
      fmt::format("{} of {} on {} ({}){} is waiting for {}{}{}", share, summary.name_of(waiting.operation),
                  communicator.name, format_number_of(communicator.size, "rank"), waiting.site_share ? "" : at,
                  awaited_in_words(waiting.kind), waiting.site_share ? at : "", because_of(waiting));
  if (text.front() == 'a') text.front() = 'A';
  return text;
}

}  // namespace mpisee_through
