// The rows of a process, which follow from the answers of others.
#include <algorithm>
#include <utility>

#include "message_waits/own_message_waits.hpp"

namespace commprof {

namespace {

constexpr std::size_t most_pairs = 16;      // written for each communicator, operation and kind
constexpr double least_known_causes = 0.1;  // of the waiting in a row whose causes are told

}  // namespace

bool OwnMessageWaits::is_in_program(Op op, WaitKind kind) { return kind != WaitKind::pending && op != Op::Finalize; }

OwnMessageWaits::OwnRow* OwnMessageWaits::find(CommIndex comm, Op op, SiteIndex site, WaitKind kind) {
  auto const wanted = std::tuple(comm, op, site, kind);
  OwnRow* const found = std::lower_bound(own_rows_.begin(), own_rows_.end(), wanted,
                                         [](OwnRow const& row, auto const& key) { return row.key() < key; });
  return found != own_rows_.end() && found->key() == wanted ? found : nullptr;
}

// Rows for the places where an instant lies in a call, or has found a request pending.
void OwnMessageWaits::make_rows(Sites const& sites) {
  PageVector<Place> places;
  for (PendingCounts::Kind const& kind : waits_->pending().kinds())
    places.push_back({kind.key.comm(), kind.key.op(), sites.site(kind.key.scope()), true});
  for (std::size_t i = 0; i < sites.scopes(); ++i) sites_.push_back(sites.site(static_cast<ScopeIndex>(i)));
  for (SpanningCall const& span : waits_->spans())
    for (std::size_t i = 0; i < span.count; ++i)
      places.push_back({waits_->awaited(span.first + i).comm, span.op, site_of(span.scope)});
  std::sort(places.begin(), places.end());
  Place* const end = std::unique(places.begin(), places.end());
  places.resize(static_cast<std::size_t>(end - places.begin()));
  for (Place const& place : places) {
    if (!is_known_alike(place.comm) || comm_of(place.comm).members < 2) continue;
    for (std::size_t i = 0; i < wait_kind_names.size(); ++i) {
      auto const kind = static_cast<WaitKind>(i);
      if (place.is_pending ? kind != WaitKind::pending : !can_wait(place.op, kind)) continue;
      OwnRow row;
      row.comm = place.comm;
      row.op = place.op;
      row.site = place.site;
      row.kind = kind;
      sites.name(row.site, row.sum.site);
      row.sum.ranks = 1;
      row.level = waits_->level();
      own_rows_.push_back(row);
    }
  }
}

void OwnMessageWaits::add(CommIndex comm, Op op, SiteIndex site, std::uint64_t calls, Ticks time) {
  for (std::size_t i = 0; i < wait_kind_names.size(); ++i) {
    auto const kind = static_cast<WaitKind>(i);
    OwnRow* const row = find(comm, op, site, kind);
    if (row == nullptr) continue;
    row->sum.calls += calls;
    if (kind != WaitKind::pending) row->sum.time_ns += rate_.to_ns(time);
  }
}

// An instant stands for the cells of its block.
void OwnMessageWaits::count(PendingCounts::Kind const& kind, Sites const& sites) {
  OwnRow* const row = find(kind.key.comm(), kind.key.op(), sites.site(kind.key.scope()), WaitKind::pending);
  if (row == nullptr) return;
  std::uint64_t const cells = std::uint64_t{1} << std::min(waits_->level(), 62U);
  std::int64_t requests = 0;
  for (std::size_t i = 0; i < waits_->instants().size(); ++i) {
    PlacedInstants::One const& instant = waits_->instants()[i];
    requests += kind.changes[i];
    if (requests <= 0) continue;
    double const weight = static_cast<double>(cells) * static_cast<double>(requests);
    row->sum.time_ns += rounded(weight * cell_ns());
    row->sum.concerned += weight;
    MessageRow::CallWeight call;  // of no use: all is known
    row->sum.add_known(call, instant.cell, weight, instant.is_in_call != 0);
  }
}

// The instant counts in each communicator of the call's messages, by their number.
template <class Visitor>
void OwnMessageWaits::visit_rows(Hit const& hit, Visitor&& visit) {
  SpanningCall const& span = *(waits_->spans().begin() + hit.span);
  SiteIndex const site = site_of(span.scope);
  CommIndex latest = CommIndex::unknown;
  for (std::size_t i = 0; i < span.count; ++i) {
    CommIndex const comm = waits_->awaited(span.first + i).comm;
    if (comm == latest) continue;
    latest = comm;
    std::size_t of_comm = 0;
    bool is_first = true;
    for (std::size_t k = 0; k < span.count; ++k) {
      bool const is_it = waits_->awaited(span.first + k).comm == comm;
      of_comm += is_it ? 1 : 0;
      is_first = is_first && (!is_it || k >= i);
    }
    double const share = static_cast<double>(of_comm) / static_cast<double>(span.count);
    for (WaitKind const kind : kinds_of_calls)
      if (OwnRow* const row = is_first ? find(comm, span.op, site, kind) : nullptr) visit(*row, share);
  }
}

// If few instants are to be expected in the calls of a place, many processes have none there, and so no row. So what
// the others have stands for all: their instants, not the time of their calls.
void OwnMessageWaits::choose_times() {
  constexpr double least_instants = 8;
  for (Hit const& hit : hits_)
    visit_rows(hit, [&](OwnRow& row, double) { row.level = std::max(row.level, hit.halvings()); });
  for (OwnRow& row : own_rows_) {
    double const instant_ns = cell_ns() * static_cast<double>(std::uint64_t{1} << std::min(row.level, 62U));
    row.is_estimated =
        row.kind != WaitKind::pending && static_cast<double>(row.sum.time_ns) < least_instants * instant_ns;
    if (row.is_estimated) row.sum.time_ns = 0;
  }
}

void OwnMessageWaits::count(Hit const& hit, OwnRow& row, double share) {
  double const weight = hit.weight() * share;
  SpanningCall const& span = *(waits_->spans().begin() + hit.span);
  MessageRow& sum = row.sum;
  if (row.is_estimated) {
    double const ns = weight * cell_ns();
    sum.time_ns += rounded(ns);
    sum.time_variance += ns * ns;
  }
  for (std::size_t i = 0; i < span.count; ++i) {
    Awaited const& one = waits_->awaited(span.first + i);
    bool const is_of_row = one.kind() == row.kind || (row.kind == WaitKind::no_progress && !one.is_of_members());
    if (one.what == Awaited::nothing || one.what == Awaited::other || !is_of_row) continue;
    sum.concerned += weight;
    break;
  }
  if (std::exchange(row.latest_span, hit.span) != hit.span) row.latest_call = {};
  if (!is_known(hit, row.kind)) {
    sum.add_unknown(row.latest_call, weight);
    return;
  }
  bool const is_waiting = is_late(hit, row.kind);
  sum.add_known(row.latest_call, hit.cell, weight, is_waiting);
  if (!is_waiting) return;
  PlacedInstants::One const* const instant = waits_->instants().find(hit.cell);
  Ticks const came = hit.of(row.kind).when;
  if (instant != nullptr && came > instant->at && came <= instant->at + both_clocks()) sum.close += weight;
  std::int32_t const rank = hit.of(row.kind).whom;
  sum.whom.add(rank, weight);
  pairs_.push_back({static_cast<std::uint32_t>(&row - own_rows_.begin()), rank, weight});
  Causes::Chain const* const chain = causes_.chain_of(hit.cell);
  bool const is_by_rank = chain != nullptr && chain->end == Causes::Chain::at_rank;
  if (!is_by_rank && (chain == nullptr || chain->end != Causes::Chain::in_pattern)) return;
  sum.caused += weight;
  if (is_by_rank) sum.cause.add(chain->whom, weight);
  else sum.pattern += weight;
  caused_.push_back({static_cast<std::uint32_t>(&row - own_rows_.begin()), weight, chain});
}

// Chains whose end is known stand for the others of their row, but for a few of many. If not all are followed, those
// that are stand for the others of all rows: a row may have none.
void OwnMessageWaits::turn_into_time(OwnRow& row) const {
  MessageRow& sum = row.sum;
  double const late_ns = sum.known > 0 ? static_cast<double>(sum.time_ns) / sum.known : 0;
  double const followed = sum.late / static_cast<double>(1U << causes_.level());
  if (sum.caused < least_known_causes * followed) {
    sum.caused = sum.pattern = 0;
    sum.cause = {};
  }
  double const of_chains = causes_.level() == 0 ? sum.caused : followed;
  row.chain_ns = of_chains > 0 ? sum.late * late_ns / of_chains : 0;
  sum.turn_into_time(late_ns, row.chain_ns);
}

bool OwnMessageWaits::finish() {
  bool is_whole = true;
  choose_times();
  for (Hit const& hit : hits_)
    if (!hit.is_dropped) visit_rows(hit, [&](OwnRow& row, double share) { count(hit, row, share); });
  for (Comm const& comm : comms_) {
    if (!comm.is_known_alike || comm.members < 2) continue;
    is_whole = rows_.heads.push_back({comm.name, comm.members, 1, comm.writes_rows ? 1U : 0U}) && is_whole;
  }
  for (OwnRow& row : own_rows_) {
    MessageRow& sum = row.sum;
    turn_into_time(row);
    // All kinds of a place have the same calls and time, but for messages without progress: these are rare.
    if (sum.calls == 0 || (row.kind == WaitKind::no_progress ? sum.late <= 0 : sum.known + sum.unknown <= 0)) continue;
    sum.comm = comm_of(row.comm).name;
    sum.op = row.op;
    sum.kind = row.kind;
    is_whole = rows_.rows.push_back(sum) && is_whole;
    if (sum.known <= 0 || sum.concerned <= 0) continue;
    std::uint64_t const wait_ns = rounded(sum.wait_ns);
    if (is_in_program(row.op, row.kind)) measured_ns_ += wait_ns;
    by_rank_.push_back({row.comm, row.op, row.site, row.kind, -1, sum.instants, sum.time_ns, wait_ns,
                        rounded(sum.wait_error_ns()), sum.unknown / (sum.known + sum.unknown)});
  }
  count_unknown();
  rows_.order();
  add_pairs();
  add_blames();
  return is_whole;
}

// What is known of some calls of a row stands for the others.
void OwnMessageWaits::count_unknown() {
  for (Hit const& hit : hits_) {
    if (hit.is_dropped) continue;
    bool is_known = false;
    visit_rows(hit, [&](OwnRow const& row, double) { is_known = is_known || row.sum.known > 0; });
    Op const op = (waits_->spans().begin() + hit.span)->op;
    auto found =
        std::find_if(of_operations_.begin(), of_operations_.end(), [&](auto const& one) { return one.op == op; });
    if (found == of_operations_.end()) {
      if (!of_operations_.push_back({op})) return;
      found = of_operations_.end() - 1;
    }
    found->all += hit.weight();
    if (!is_known) found->unknown += hit.weight();
  }
}

double OwnMessageWaits::unknown_share(Op op) const {
  for (OfOperation const& one : of_operations_)
    if (one.op == op) return one.unknown / one.all;
  return 0;
}

std::uint64_t OwnMessageWaits::measured_error_ns() const {
  double squares = 0;
  for (Row const& row : by_rank_) {
    auto const error = static_cast<double>(row.error_ns);
    if (is_in_program(row.op, row.kind)) squares += error * error;
  }
  return rounded(square_root(squares));
}

// Adds up the call sites of each other process, and keeps the other processes with the most waiting.
void OwnMessageWaits::add_pairs() {
  order_rows(pairs_);
  for (Pair const& pair : pairs_) {
    OwnRow const& row = *(own_rows_.begin() + pair.row);
    MessageRow const& sum = row.sum;
    double const share = pair.weight / sum.known, time = static_cast<double>(sum.time_ns);
    double const error = square_root(share / static_cast<double>(sum.instants) + sum.variance_of_calls(share));
    by_pair_.push_back({row.comm, row.op, SiteIndex::none, row.kind, pair.rank, 1, 0, rounded(share * time),
                        rounded(error * time), 0});
  }
  order_rows(by_pair_);
  std::sort(by_pair_.begin(), by_pair_.end(), [](Row const& a, Row const& b) {
    return std::tuple(a.place(), b.wait_ns, a.for_rank) < std::tuple(b.place(), a.wait_ns, b.for_rank);
  });
  std::size_t kept = 0, of_place = 0;
  for (Row const& row : by_pair_) {
    of_place = kept > 0 && (by_pair_.begin() + (kept - 1))->place() == row.place() ? of_place + 1 : 0;
    if (of_place < most_pairs) *(by_pair_.begin() + kept++) = Row(row);
  }
  by_pair_.resize(kept);
}

}  // namespace commprof
