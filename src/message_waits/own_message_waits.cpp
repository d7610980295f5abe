#include "message_waits/own_message_waits.hpp"

#include <algorithm>
#include <utility>

#include "calls/by_operation.hpp"
#include "ops.hpp"

namespace commprof {

bool can_wait(Op op, WaitKind kind) {
  switch (kind) {
    case WaitKind::collective:
      return calls::waits_for_members(op);
    case WaitKind::late_sender:
      return calls::waits_for_senders(op);
    case WaitKind::late_receiver:
      return calls::waits_for_receivers(op);
    default:
      return false;
  }
}

void OwnMessageWaits::take(PageVector<Comm>& comms) {
  comms_.swap(comms);
  std::uint32_t index = 0;
  for (Comm const& comm : comms_) {
    if (comm.is_known_alike) named_.push_back({comm.name, static_cast<CommIndex>(index)});
    ++index;
  }
  std::sort(named_.begin(), named_.end(), [](Named const& a, Named const& b) { return a.name < b.name; });
}

CommIndex OwnMessageWaits::find(MessageComm const& name) const {
  Named const* const found =
      std::lower_bound(named_.begin(), named_.end(), name,
                       [](Named const& one, MessageComm const& wanted) { return one.name < wanted; });
  return found != named_.end() && found->name == name ? found->index : CommIndex::unknown;
}

void OwnMessageWaits::ask() {
  std::uint32_t index = 0;
  for (SpanningCall const& span : waits_->spans()) {
    waits_->instants().for_each(span.entry, span.exit, [&](PlacedInstants::One const& instant) {
      Hit hit;
      hit.span = index;
      hit.cell = instant.cell;
      hit.level = static_cast<std::uint8_t>(waits_->level());
      if (!hits_.push_back(hit)) return;
      ask_about(static_cast<std::uint32_t>(hits_.size() - 1), span, instant.at);
    });
    ++index;
  }
  std::sort(questions_.begin(), questions_.end(),
            [](ToAsk const& a, ToAsk const& b) { return std::tuple(a.to, a.hit) < std::tuple(b.to, b.hit); });
  add_heads(meetings_.heads, true);
  meetings_.order();
}

void OwnMessageWaits::ask_about(std::uint32_t index, SpanningCall const& span, Ticks at) {
  Hit& hit = *(hits_.begin() + index);
  auto const all_unknown = [&] {
    for (Counts& counts : hit.counts) ++counts.unknown;
  };
  if (!span.is_whole) all_unknown();
  for (std::size_t i = 0; i < span.count; ++i) {
    Awaited const& one = waits_->awaited(span.first + i);
    if (one.what == Awaited::nothing) continue;
    if (one.what == Awaited::other) {
      all_unknown();
      continue;
    }
    bool const is_of_all = one.is_of_members() && one.peer == StreamKey::everybody;
    if (is_of_all && ask_members(index, one)) continue;
    bool const is_lost = !one.is_of_members() && one.way == Way::in && waits_->is_lost(one.comm);
    bool const can_ask = one.has_number() && static_cast<std::int32_t>(one.world_rank) >= 0 &&
                         is_known_alike(one.comm) && !waits_->is_doubtful(one.key());
    if (is_of_all || !can_ask || is_lost) {
      ++hit.of(one.kind()).unknown;
      continue;
    }
    Comm const& comm = comm_of(one.comm);
    ToAsk const question{static_cast<std::int32_t>(one.world_rank),
                         index,
                         {.comm = comm.name,
                          .cell = hit.cell,
                          .at = at,
                          .exit = span.exit,
                          .clock_error = waits_->clock_error(),
                          .asker = one.is_of_members() ? StreamKey::everybody : comm.own_rank,
                          .tag = one.tag,
                          .number = one.number,
                          .way = one.way}};
    if (!questions_.push_back(question)) ++hit.of(one.kind()).unknown;
  }
}

// Chooses by a hash of instant and process, so that not all processes ask about the same instants.
void OwnMessageWaits::drop() {
  for (Hit& hit : hits_)
    if (!is_below(scattered(hit.cell ^ static_cast<std::uint64_t>(rank_) << 40), hit.asked_level)) hit.is_dropped = true;
  ToAsk* const end = std::remove_if(questions_.begin(), questions_.end(),
                                    [&](ToAsk const& one) { return (hits_.begin() + one.hit)->is_dropped; });
  questions_.resize(static_cast<std::size_t>(end - questions_.begin()));
}

MessageAnswer OwnMessageWaits::answer(MessageQuestion const& question) const {
  CommIndex const comm = find(question.comm);
  if (!is_known_alike(comm)) return {};
  Way const way = question.way == Way::in ? Way::out : Way::in;
  StreamKey const key = question.asker == StreamKey::everybody
                            ? StreamKey::of_members(comm, static_cast<calls::Joint>(question.tag))
                            : StreamKey::of(way, comm, question.asker, question.tag);
  MessageWaits::Answer const answer = waits_->answer(key, {.number = question.number,
                                                      .cell = question.cell,
                                                      .at = question.at,
                                                      .exit = question.exit,
                                                      .clock_error = question.clock_error + waits_->clock_error()});
  return {answer.when, answer.told, answer.is_close, static_cast<std::uint8_t>(waits_->level())};
}

void OwnMessageWaits::take(ToAsk const& asked, MessageAnswer const& answer) {
  Hit& hit = *(hits_.begin() + asked.hit);
  Counts& counts = hit.of(asked.question.kind());
  CommIndex const comm = find(asked.question.comm);
  bool const is_in_doubt = comm_of(comm).is_name_in_doubt ||
                           (asked.question.asker == StreamKey::everybody && comm_of(comm).are_calls_in_doubt);
  if (is_in_doubt) {
    ++counts.unknown;
    return;
  }
  hit.level = std::max(hit.level, answer.level);
  counts.is_close = counts.is_close || answer.is_close;
  switch (answer.told) {
    case MessageWaits::Told::not_kept:
      hit.is_dropped = true;
      break;
    case MessageWaits::Told::unknown:
      ++counts.unknown;
      break;
    case MessageWaits::Told::before:
    case MessageWaits::Told::not_until:
      ++counts.fine;
      break;
    case MessageWaits::Told::after:
      ++counts.late;
      if (counts.whom < 0 || answer.when > counts.when) {
        counts.whom = asked.to;
        counts.when = answer.when;
      }
      break;
  }
}

bool OwnMessageWaits::is_known(Hit const& hit, WaitKind kind) const {
  bool const are_first_known = hit.of(WaitKind::late_sender).unknown == 0 && hit.of(WaitKind::collective).unknown == 0;
  return are_first_known && (kind != WaitKind::late_receiver || hit.of(WaitKind::late_receiver).unknown == 0);
}

bool OwnMessageWaits::is_late(Hit const& hit, WaitKind kind) const {
  Counts const &in = hit.of(WaitKind::late_sender), &out = hit.of(WaitKind::late_receiver),
               &all = hit.of(WaitKind::collective);
  bool const ends_with_any = (waits_->spans().begin() + hit.span)->ends_with_any;
  if (ends_with_any && in.fine + out.fine + all.fine > 0) return false;
  if (kind == WaitKind::late_receiver) return out.late > 0 && in.late + all.late == 0;
  bool const is_for_members = all.late > 0 && (in.late == 0 || all.when >= in.when);
  return kind == WaitKind::collective ? is_for_members : in.late > 0 && !is_for_members;
}

std::int32_t OwnMessageWaits::whom(Hit const& hit) const {
  if (hit.is_dropped) return not_looked_at;
  for (WaitKind const kind : kinds_of_calls)
    if (is_known(hit, kind) && is_late(hit, kind)) return hit.of(kind).whom;
  bool const awaits_messages = (waits_->spans().begin() + hit.span)->count > 0;
  return awaits_messages && is_known(hit, WaitKind::late_receiver) ? for_nobody : for_somebody;
}

// Prefers a thread that is known to wait, if the process has several.
PageVector<OwnMessageWaits::Link>& OwnMessageWaits::chain(unsigned level) {
  for (Hit const& hit : hits_) {
    std::int32_t const to = whom(hit);
    if (to == for_nobody || !is_below(scattered(hit.cell), level)) continue;
    links_.push_back({hit.cell, hit.ahead(to), to < 0 || to == rank_});
  }
  std::sort(links_.begin(), links_.end(), [](Link const& a, Link const& b) {
    return std::tuple(a.cell, b.ahead.to) < std::tuple(b.cell, a.ahead.to);
  });
  Link* const end =
      std::unique(links_.begin(), links_.end(), [](Link const& a, Link const& b) { return a.cell == b.cell; });
  links_.resize(static_cast<std::size_t>(end - links_.begin()));
  return links_;
}

OwnMessageWaits::Ahead OwnMessageWaits::waits_for(instants::Cell cell) const {
  Link const* const found = std::lower_bound(links_.begin(), links_.end(), cell,
                                             [](Link const& link, instants::Cell one) { return link.cell < one; });
  return found != links_.end() && found->cell == cell ? found->ahead : Ahead{};
}

// The rows of a process, which follow from the answers of others.

namespace {

constexpr std::size_t most_pairs = 16;  // written for each communicator, operation and kind

std::uint64_t rounded(double value) { return value <= 0 ? 0 : static_cast<std::uint64_t>(value + 0.5); }  // NOLINT

}  // namespace

OwnMessageWaits::OwnRow* OwnMessageWaits::find(CommIndex comm, Op op, SiteIndex site, WaitKind kind) {
  auto const wanted = std::tuple(comm, op, site, kind);
  OwnRow* const found = std::lower_bound(own_rows_.begin(), own_rows_.end(), wanted,
                                         [](OwnRow const& row, auto const& key) { return row.key() < key; });
  return found != own_rows_.end() && found->key() == wanted ? found : nullptr;
}

void OwnMessageWaits::find_pending(Sites const& sites) {
  for (PendingCounts::Kind const& kind : waits_->pending().kinds())
    pending_.push_back({kind.key.comm(), kind.key.op(), sites.site(kind.key.scope())});
  std::sort(pending_.begin(), pending_.end());
  pending_.resize(static_cast<std::size_t>(std::unique(pending_.begin(), pending_.end()) - pending_.begin()));
}

void OwnMessageWaits::add(Record const& record, SiteIndex site) {
  Op const op = record.key.op();
  CommIndex const comm = record.key.comm();
  bool const can_wait_at_all =
      std::any_of(std::begin(kinds_of_calls), std::end(kinds_of_calls), [&](WaitKind kind) { return can_wait(op, kind); });
  bool const is_counted = can_wait_at_all || was_pending({comm, op, site});
  if (!is_counted || !is_known_alike(comm) || comm_of(comm).members < 2) return;
  calls_.push_back({comm, op, site, record.calls, rate_.to_ns(record.time)});
}

void OwnMessageWaits::make_rows(Sites const& sites) {
  std::sort(calls_.begin(), calls_.end(), [](Calls const& a, Calls const& b) { return a.key() < b.key(); });
  for (Calls const* first = calls_.begin(); first != calls_.end();) {
    Calls sum = *first;
    for (++first; first != calls_.end() && first->key() == sum.key(); ++first) {
      sum.calls += first->calls;
      sum.time_ns += first->time_ns;
    }
    for (WaitKind const kind :
         {WaitKind::collective, WaitKind::late_sender, WaitKind::late_receiver, WaitKind::pending}) {
      bool const is_pending = kind == WaitKind::pending;
      if (is_pending ? !was_pending({sum.comm, sum.op, sum.site}) : !can_wait(sum.op, kind)) continue;
      OwnRow row;
      row.comm = sum.comm;
      row.op = sum.op;
      row.site = sum.site;
      row.kind = kind;
      sites.name(row.site, row.sum.site);
      row.sum.ranks = 1;
      row.sum.calls = sum.calls;
      row.sum.time_ns = is_pending ? 0 : sum.time_ns;
      own_rows_.push_back(row);
    }
  }
}

// An instant stands for the cells of its block.
void OwnMessageWaits::count(PendingCounts::Kind const& kind, Sites const& sites) {
  OwnRow* const row = find(kind.key.comm(), kind.key.op(), sites.site(kind.key.scope()), WaitKind::pending);
  if (row == nullptr) return;
  std::uint64_t const cells = std::uint64_t{1} << std::min(waits_->level(), 62U);
  Ticks const cell{std::uint64_t{1} << instants::cell_bits};
  double const cell_ns = static_cast<double>(waits_->is_common() ? cell.count : rate_.to_ns(cell));
  std::int64_t requests = 0;
  for (std::size_t i = 0; i < waits_->instants().size(); ++i) {
    PlacedInstants::One const& instant = waits_->instants()[i];
    requests += kind.changes[i];
    if (requests <= 0) continue;
    double const weight = static_cast<double>(cells) * static_cast<double>(requests);
    row->sum.time_ns += rounded(weight * cell_ns);
    row->sum.concerned += weight;
    MessageRow::CallWeight call;  // of no use: all is known
    row->sum.add_known(call, instant.cell, 0, weight, instant.is_in_call != 0);
  }
}

// The instant counts in each communicator of the call's messages, by their number.
void OwnMessageWaits::count(Hit const& hit, SiteIndex site) {
  SpanningCall const& span = *(waits_->spans().begin() + hit.span);
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
      if (OwnRow* const row = is_first ? find(comm, span.op, site, kind) : nullptr) count(hit, *row, share);
  }
}

void OwnMessageWaits::count(Hit const& hit, OwnRow& row, double share) {
  double const weight = hit.weight() * share;
  SpanningCall const& span = *(waits_->spans().begin() + hit.span);
  MessageRow& sum = row.sum;
  std::uint64_t stream = 0;
  for (std::size_t i = 0; i < span.count; ++i) {
    Awaited const& one = waits_->awaited(span.first + i);
    if (one.what == Awaited::nothing || one.what == Awaited::other || one.kind() != row.kind) continue;
    sum.concerned += weight;
    stream = scattered(one.key().packed) ^ static_cast<std::uint64_t>(rank_);
    break;
  }
  if (std::exchange(row.latest_span, hit.span) != hit.span) row.latest_call = {};
  if (!is_known(hit, row.kind)) {
    sum.add_unknown(row.latest_call, weight);
    return;
  }
  bool const is_waiting = is_late(hit, row.kind);
  sum.add_known(row.latest_call, hit.cell, stream, weight, is_waiting);
  if (hit.of(row.kind).is_close) sum.close += weight;
  if (!is_waiting) return;
  std::int32_t const rank = hit.of(row.kind).whom;
  sum.whom.add(rank, weight);
  pairs_.push_back({static_cast<std::uint32_t>(&row - own_rows_.begin()), rank, weight});
  Link const* const link = std::lower_bound(links_.begin(), links_.end(), hit.cell,
                                            [](Link const& a, instants::Cell cell) { return a.cell < cell; });
  if (link == links_.end() || link->cell != hit.cell || !link->is_at_end || link->ahead.to == not_looked_at) return;
  double const weight_of_chain = link->ahead.weight() * share;
  sum.caused += weight_of_chain;
  sum.cause.add(link->ahead.to, weight_of_chain);
}

bool OwnMessageWaits::finish() {
  bool is_whole = true;
  for (Hit const& hit : hits_)
    if (!hit.is_dropped && hit.span < sites_.size()) count(hit, *(sites_.begin() + hit.span));
  is_whole = add_heads(rows_.heads, false) && is_whole;
  for (OwnRow& row : own_rows_) {
    MessageRow& sum = row.sum;
    sum.comm = comm_of(row.comm).name;
    sum.op = row.op;
    sum.kind = row.kind;
    is_whole = rows_.rows.push_back(sum) && is_whole;
    if (sum.known <= 0 || sum.concerned <= 0) continue;
    auto const time = static_cast<double>(sum.time_ns);
    std::uint64_t const wait_ns = rounded(sum.share() * time);
    if (row.kind != WaitKind::pending) measured_ns_ += wait_ns;
    by_rank_.push_back({row.comm, row.op, row.site, row.kind, -1, sum.instants, sum.time_ns, wait_ns,
                        rounded(sum.error() * time), sum.unknown / (sum.known + sum.unknown)});
  }
  rows_.order();
  finish_pairs();
  return is_whole;
}

std::uint64_t OwnMessageWaits::measured_error_ns() const {
  double squares = 0;
  for (Row const& row : by_rank_) {
    auto const error = static_cast<double>(row.error_ns);
    if (row.kind != WaitKind::pending) squares += error * error;
  }
  return rounded(square_root(squares));
}

void OwnMessageWaits::add_pairs() {
  std::sort(pairs_.begin(), pairs_.end(),
            [](Pair const& a, Pair const& b) { return std::tuple(a.row, a.rank) < std::tuple(b.row, b.rank); });
  for (Pair const* pair = pairs_.begin(); pair != pairs_.end();) {
    auto const [index, rank, first_weight] = *pair;
    double weight = first_weight;
    for (++pair; pair != pairs_.end() && pair->row == index && pair->rank == rank; ++pair) weight += pair->weight;
    OwnRow const& row = *(own_rows_.begin() + index);
    MessageRow const& sum = row.sum;
    if (sum.known <= 0) continue;
    double const share = weight / sum.known, time = static_cast<double>(sum.time_ns);
    double const error = square_root(share / static_cast<double>(sum.instants) + sum.variance_of_calls(share));
    by_pair_.push_back(
        {row.comm, row.op, SiteIndex::none, row.kind, rank, 1, 0, rounded(share * time), rounded(error * time), 0});
  }
}

void OwnMessageWaits::finish_pairs() {
  add_pairs();
  auto const key = [](Row const& row) { return std::tuple(row.comm, row.op, row.kind, row.for_rank); };
  std::sort(by_pair_.begin(), by_pair_.end(), [&](Row const& a, Row const& b) { return key(a) < key(b); });
  std::size_t kept = 0;
  for (Row const& row : by_pair_) {
    Row* const last = kept == 0 ? nullptr : by_pair_.begin() + (kept - 1);
    if (last != nullptr && key(*last) == key(row)) {
      auto const error = static_cast<double>(last->error_ns), more = static_cast<double>(row.error_ns);
      last->wait_ns += row.wait_ns;
      last->error_ns = rounded(square_root(error * error + more * more));
    } else {
      *(by_pair_.begin() + kept++) = Row(row);
    }
  }
  by_pair_.resize(kept);
  std::sort(by_pair_.begin(), by_pair_.end(), [](Row const& a, Row const& b) {
    return std::tuple(a.comm, a.op, a.kind, b.wait_ns, a.for_rank) <
           std::tuple(b.comm, b.op, b.kind, a.wait_ns, b.for_rank);
  });
  kept = 0;
  std::size_t of_place = 0;
  for (Row const& row : by_pair_) {
    Row const* const last = kept == 0 ? nullptr : by_pair_.begin() + (kept - 1);
    bool const is_of_last =
        last != nullptr && std::tuple(last->comm, last->op, last->kind) == std::tuple(row.comm, row.op, row.kind);
    of_place = is_of_last ? of_place + 1 : 0;
    if (of_place < most_pairs) *(by_pair_.begin() + kept++) = Row(row);
  }
  by_pair_.resize(kept);
}

}  // namespace commprof
