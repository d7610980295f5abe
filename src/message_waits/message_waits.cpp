#include "message_waits/message_waits.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/live.hpp"
#include "message_waits/message_rows.hpp"
#include "ops.hpp"

namespace commprof {

constinit MessageWaits message_waits::of_process;

void MessageWaits::begin(Ticks now, std::optional<ClockOffset> const& offset) {
  if (void* const pages = map_pages(sizeof(Kept), {spool::Kind::message_state, 0, 0})) kept_ = new (pages) Kept;
  if (!streams_.begin(kept_->choice)) return;
  kept_->instants.begin(now, offset);
  kept_->must_convert = offset ? 1 : 0;
  kept_->noticed = now;
  aligned_.set(CommIndex::unknown, 0, now, this_thread.current_call->outside_until(now));
  begun_ = aligned_.at();
  kept_->is_on = 1;
  if (state.is_threaded()) begin_threads();
  set_next();
}

void MessageWaits::begin_threads() {
  Guard const guard(mutex);
  streams_.begin_threads();
  kept_->is_threaded = 1;
  pending_.clear();
}

void MessageWaits::set_next() {
  PlacedInstants::One const& upcoming = kept_->instants.upcoming();
  next_own_ = kept_->noticed < upcoming.opens() ? upcoming.opens() : upcoming.at;
  next_.store(std::min(next_own_, next_of_others_).count, std::memory_order_relaxed);
}

void MessageWaits::wake_at(Ticks next, Ticks latest) {
  Guard const guard(mutex);
  next_of_others_ = next;
  next_.store(std::min(next_own_, next).count, std::memory_order_relaxed);
  latest_.store(std::max(latest.count, latest_.load(std::memory_order_relaxed)), std::memory_order_relaxed);
}

std::uint32_t MessageWaits::label_at(Ticks time) const {
  PlacedInstants::One const* const open = kept_->instants.latest_open(time);
  return open == nullptr ? 0 : label_of(open->cell);
}

void MessageWaits::pass(Ticks entry, Ticks exit) {
  Guard const guard(mutex);
  if (exit < next_own_) return;
  while (kept_->instants.are_too_many(exit) && kept_->is_broken == 0) raise_level();
  kept_->noticed = exit;
  kept_->instants.place(entry, exit);
  if (PlacedInstants::One const* const latest = kept_->instants.latest(exit))
    latest_.store(std::max(latest->at.count, latest_.load(std::memory_order_relaxed)), std::memory_order_relaxed);
  std::uint32_t const label = label_at(exit);
  if (label > label_.load(std::memory_order_relaxed)) {
    label_.store(label, std::memory_order_relaxed);
    repeated_ = 0;
  }
  set_next();
}

void MessageWaits::append(Entry const& entry) {
  while (log_.size() >= most_entries && kept_->is_broken == 0) shorten_log();
  if (!log_.push_back(entry)) kept_->is_broken = 1;
}

// The log must not drop late messages only: processes would seem to wait less than they do. So it drops whole instants
// or streams, and never what comes late after an instant. Without an instant, an entry moves to the
// one before, so the log shrinks only if streams have many entries.
void MessageWaits::shorten_log() {
  Changing const changing(kept_->is_changing);
  std::sort(log_.begin(), log_.end(), [](Entry const& a, Entry const& b) { return a.key < b.key; });
  std::size_t const before = log_.size();
  std::size_t streams = 0, entries = 0;  // of messages: collective calls are not dropped
  std::uint64_t latest = 0;
  for (Entry const& entry : log_) {
    if (StreamKey{entry.key}.is_of_members()) continue;
    ++entries;
    if (entry.key != latest) ++streams;
    latest = entry.key;
  }
  bool const are_streams_many =
      2 * entries > before && (entries < 4 * streams || entries > most_of_instant * (kept_->instants.size() + 1));
  if (are_streams_many) drop_streams();
  if (log_.size() > before - before / 8) raise_level();
}

void MessageWaits::drop_streams() {
  Changing const changing(kept_->is_changing);
  if (!streams_.thin()) return;
  Entry* const end =
      std::remove_if(log_.begin(), log_.end(), [this](Entry const& entry) { return !streams_.keeps({entry.key}); });
  log_.shrink(static_cast<std::size_t>(end - log_.begin()));
}

// The time may be long past, if the stream of a posted receive is known only now. A stream's posts come in order.
void MessageWaits::log(StreamKey key, Stream& stream, std::uint32_t number, Ticks at, Op op) {
  Guard const guard(mutex);
  log_held(key, stream, number, at, detail_of(op));
}

std::uint32_t MessageWaits::detail_of(Op op) {
  std::uint32_t const base = state.here().base;
  return base == RecordKey::of_nothing ? base : base | RecordKey::kind_of(op, SizeBin{});
}

namespace {

// The time outside MPI is that of one thread.
bool have_several_threads_called() { return state.is_threaded() && Shards::threads() > 1; }

}  // namespace

Stamp MessageWaits::lap_of(Stream const& stream, std::uint32_t number) const {
  if (have_several_threads_called() || stream.count != number + 1) return Awaited::no_lap;
  return stream.stamps[number % 2].since(number == 0 ? begun_ : stream.stamps[(number + 1) % 2]);
}

void MessageWaits::log_held(StreamKey key, Stream& stream, std::uint32_t number, Ticks at, std::uint32_t detail) {
  std::atomic_ref const logged(stream.label);
  PlacedInstants::One const* const open = kept_->instants.latest_open(at);
  std::uint32_t const label = open == nullptr ? 0 : label_of(open->cell);
  if (label == 0 || logged.load(std::memory_order_relaxed) >= label) return;
  // In the window of an instant, all messages are logged, or many.
  if (at >= open->closes() || repeated_++ >= most_of_instant) logged.store(label, std::memory_order_relaxed);
  if (!streams_.keeps(key)) return;
  Entry entry{key.packed, at, label, number, lap_of(stream, number), Entry::by_stream, detail};
  if (!have_several_threads_called()) {
    Stamp const since_aligned = stream.stamps[number % 2].since(aligned_.at());
    if (since_aligned.at <= entry.lap.at) entry.lap = since_aligned, entry.aligned = aligned_.packed();
  }
  append(entry);
}

// Halves the instants. Other threads compare the labels of streams with that of the latest instant meanwhile. Until
// that has its new value, which is less, they find too much to log, and wait for the mutex.
void MessageWaits::raise_level() {
  Changing const changing(kept_->is_changing);
  pending_.halve(kept_->instants);
  kept_->instants.halve();
  if (kept_->instants.level() > 40) kept_->is_broken = 1;
  thin_log();
  streams_.for_each([this](std::uint64_t, Stream& stream) {
    std::atomic_ref const label(stream.label);
    std::uint32_t const before = label.load(std::memory_order_relaxed);
    if (before == Stream::unknown) return;
    label.store(kept_->instants.label_after_halving(before), std::memory_order_relaxed);
  });
  thin_spans();
  set_next();
  label_.store(label_at(kept_->noticed), std::memory_order_relaxed);
}

// What was logged for an instant that is not kept belongs to the kept one before.
void MessageWaits::thin_log() {
  std::size_t kept = 0;
  for (Entry const& entry : log_) {
    std::uint32_t const label = kept_->instants.label_after_halving(entry.label);
    if (label == 0) continue;
    Entry& to = *(log_.begin() + kept++);
    to = entry;
    to.label = label;
  }
  log_.shrink(kept);
  std::sort(log_.begin(), log_.end(), [](Entry const& a, Entry const& b) {
    return std::tuple(a.key, a.label, a.count, a.time) < std::tuple(b.key, b.label, b.count, b.time);
  });
  // An entry after the window of its instant is the last one.
  Entry* const end = std::unique(log_.begin(), log_.end(), [this](Entry const& a, Entry const& b) {
    return a.key == b.key && a.label == b.label && is_after_window(a);
  });
  log_.shrink(static_cast<std::size_t>(end - log_.begin()));
}

bool MessageWaits::is_after_window(Entry const& entry) const {
  PlacedInstants::One const* const one = kept_->instants.find(cell_of(entry.label));
  return one != nullptr && entry.time >= one->closes();
}

// Drops the calls in which no instant lies any more.
void MessageWaits::thin_spans() {
  std::size_t calls = 0, messages = 0;
  for (SpanningCall const& span : spans_) {
    if (!kept_->instants.lies_in(span.entry, span.exit)) continue;
    SpanningCall& to = *(spans_.begin() + calls++);
    std::copy_n(awaited_.begin() + span.first, span.count, awaited_.begin() + messages);
    to = span;
    to.first = static_cast<std::uint32_t>(messages);
    messages += span.count;
  }
  spans_.shrink(calls);
  awaited_.shrink(messages);
  for (Posted& one : posted_) one.awaited = 0;
  std::uint32_t index = 0;
  for (Awaited& one : awaited_) {
    ++index;
    if (one.is_ticket) one.before = std::exchange(posted(one.number).awaited, index);
  }
}

void MessageWaits::span(SpanningCall const& call, Awaited const* awaited, std::size_t count) {
  pass(call.entry, call.exit);
  Guard const guard(mutex);
  if (!kept_->instants.lies_in(call.entry, call.exit)) return;  // the instants were before the call
  while ((spans_.size() >= most_spans || awaited_.size() + count > most_awaited) && kept_->is_broken == 0)
    raise_level();
  SpanningCall kept = call;
  kept.first = static_cast<std::uint32_t>(awaited_.size());
  kept.count = static_cast<std::uint16_t>(count);
  kept.aligned = aligned_.packed();
  kept.lap = Stamp::of(call.entry, this_thread.current_call->outside_before()).since(aligned_.at());
  for (std::size_t i = 0; i < count && kept_->is_broken == 0; ++i) {
    Awaited one = awaited[i];
    Stream const* const stream = one.has_number() && one.key() ? streams_.find(one.key()) : nullptr;
    if (stream != nullptr) one.lap = lap_of(*stream, one.number);
    if (!awaited_.push_back(one)) kept_->is_broken = 1;
    else if (one.is_ticket) mark_latest_awaited();
  }
  if (kept_->is_broken != 0 || !spans_.push_back(kept)) kept_->is_broken = 1;
}

// The receive may have got its number meanwhile, if the call itself is the one that completes it.
void MessageWaits::mark_latest_awaited() {
  Awaited& one = *(awaited_.end() - 1);
  Posted& holder = posted(one.number);
  if (holder.comm != one.comm) one = {.comm = one.comm, .what = Awaited::other};
  else one.before = std::exchange(holder.awaited, static_cast<std::uint32_t>(awaited_.size()));
}

MessageNumber MessageWaits::post(CommIndex comm, std::int32_t source, std::int32_t tag, Ticks at, Op op) {
  if (source != any_peer && tag != any_tag) return {count(StreamKey::of(Way::in, comm, source, tag), at, op)};
  // Nothing is known of MPI_PROC_NULL, and of communicators beyond those of keys.
  if (!StreamKey::of(Way::in, comm, source == any_peer ? 0 : source, tag == any_tag ? 0 : tag)) return {};
  Guard const guard(mutex);
  if (is_lost(comm)) return {};
  std::uint32_t ticket = free_ticket_;
  if (ticket != 0) free_ticket_ = posted(ticket).next;
  else if (posted_.size() < most_posted && posted_.push_back({})) ticket = static_cast<std::uint32_t>(posted_.size());
  else return doubt_held(StreamKey::of_receives(comm)), MessageNumber{};
  posted(ticket) = {.comm = comm,
                    .at = at,
                    .stamp = Stamp::of(at, this_thread.current_call->outside_before()),
                    .detail = detail_of(op)};
  return {ticket, true};
}

// Frees the ticket.
MessageWaits::Posted MessageWaits::take_ticket(std::uint32_t ticket) {
  Posted const one = posted(ticket);
  posted(ticket) = {.next = free_ticket_};
  free_ticket_ = ticket;
  return one;
}

// Tells the number to the spanning calls that hold the ticket.
void MessageWaits::resolve(Posted const& one, StreamKey key, std::uint32_t number, Stamp lap) {
  for (std::uint32_t place = one.awaited; place != 0;) {
    Awaited& awaited = *(awaited_.begin() + (place - 1));
    place = std::exchange(awaited.before, 0);
    awaited.number = number;
    awaited.lap = lap;
    awaited.peer = key.peer();
    awaited.tag = key.tag();
    awaited.world_rank = world_rank_held(one.comm, key.peer());
    std::atomic_signal_fence(std::memory_order_seq_cst);  // killed before that, the process leaves a ticket
    awaited.is_ticket = false;
  }
}

void MessageWaits::complete(std::uint32_t ticket, std::int32_t source, std::int32_t tag) {
  Guard const guard(mutex);
  Posted const one = take_ticket(ticket);
  StreamKey const key = StreamKey::of(Way::in, one.comm, source, tag);
  if (!key) doubt_held(StreamKey::of_receives(one.comm));
  Stream* const stream = key ? streams_.find_or_add(key) : nullptr;
  if (stream == nullptr) return resolve(one, key, Streams::no_number);
  std::uint32_t const number = std::atomic_ref(stream->count).fetch_add(1, std::memory_order_relaxed);
  stamp(*stream, number, one.stamp);
  resolve(one, key, number, lap_of(*stream, number));  // before the log, which may drop calls with what they await
  log_held(key, *stream, number, one.at, one.detail);
}

void MessageWaits::cancel(std::uint32_t ticket) {
  Guard const guard(mutex);
  resolve(take_ticket(ticket), {}, Streams::no_number);
}

void MessageWaits::lose(std::uint32_t ticket) {
  Guard const guard(mutex);
  Posted const one = take_ticket(ticket);
  doubt_held(StreamKey::of_receives(one.comm));
  resolve(one, {}, Streams::no_number);
}

void MessageWaits::doubt_held(StreamKey key) {
  if (Stream* const stream = key ? streams_.find_or_add(key) : nullptr)
    std::atomic_ref(stream->label).store(Stream::unknown, std::memory_order_relaxed);
  else if (key.is_of_members()) kept_->is_broken = 1;
}

void MessageWaits::doubt(StreamKey key) {
  if (!is_on()) return;
  Guard const guard(mutex);
  doubt_held(key);
}

bool MessageWaits::is_doubtful(StreamKey key) const {
  Stream const* const stream = key ? streams_.find(key) : nullptr;
  return stream != nullptr && stream->label == Stream::unknown;
}

void MessageWaits::give_back(StreamKey key, std::uint32_t number) {
  Guard const guard(mutex);
  Stream* const stream = key ? streams_.find_or_add(key) : nullptr;
  if (stream == nullptr) return;
  std::uint32_t next = number + 1;
  if (!std::atomic_ref(stream->count).compare_exchange_strong(next, number, std::memory_order_relaxed)) doubt_held(key);
}

bool MessageWaits::is_lost(CommIndex comm) const {
  return kept_->is_broken != 0 || is_doubtful(StreamKey::of_receives(comm));
}

// Threads are left out: with them, the instants do not tell which thread was in a call.
void MessageWaits::add_pending(RecordKey key, Ticks since) {
  if (!is_on() || kept_->is_threaded != 0) return;
  pending_.add(key, kept_->instants.count_until(since), kept_->instants.size());
}

void MessageWaits::learn(CommIndex comm, std::int32_t peer, WorldRank rank) {
  Guard const guard(mutex);
  StreamKey const key = StreamKey::of(Way::in, comm, peer, 0);
  if (key && world_ranks_.size() < most_pairs && world_ranks_.find(key) == nullptr) world_ranks_.add(key, rank);
}

WorldRank MessageWaits::world_rank(CommIndex comm, std::int32_t peer) {
  if (comm == CommIndex::world) return static_cast<WorldRank>(peer);
  Guard const guard(mutex);
  return world_rank_held(comm, peer);
}

WorldRank MessageWaits::world_rank_held(CommIndex comm, std::int32_t peer) const {
  if (comm == CommIndex::world) return static_cast<WorldRank>(peer);
  StreamKey const key = StreamKey::of(Way::in, comm, peer, 0);
  WorldRank const* const known = key ? world_ranks_.find(key) : nullptr;
  return known == nullptr ? WorldRank::elsewhere : *known;
}

}  // namespace commprof
