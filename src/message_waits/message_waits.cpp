#include "message_waits/message_waits.hpp"

#include <algorithm>
#include <tuple>

#include "base/changing.hpp"

namespace commprof {

constinit MessageWaits message_waits::of_process;

void MessageWaits::begin(Ticks now, Streams::OwnRank own_rank, std::optional<ClockOffset> const& offset) {
  if (void* const pages = map_pages(sizeof(Kept), {spool::Kind::message_state, 0, 0})) kept_ = new (pages) Kept;
  if (!streams_.begin(own_rank, &kept_->choice)) return;
  kept_->instants.begin(now, offset);
  kept_->must_convert = offset ? 1 : 0;
  kept_->noticed = now;
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
  std::size_t streams = 0;
  std::uint64_t latest = 0;
  for (Entry const& entry : log_) {
    if (entry.key != latest) ++streams;
    latest = entry.key;
  }
  bool const are_streams_many =
      log_.size() < 4 * streams || log_.size() > most_of_instant * (kept_->instants.size() + 1);
  if (are_streams_many) drop_streams();
  else raise_level();
}

void MessageWaits::drop_streams() {
  Changing const changing(kept_->is_changing);
  streams_.thin();
  Entry* const end =
      std::remove_if(log_.begin(), log_.end(), [this](Entry const& entry) { return !streams_.keeps({entry.key}); });
  log_.shrink(static_cast<std::size_t>(end - log_.begin()));
}

// The time may be long past, if the stream of a posted receive is known only now. A stream's posts come in order.
void MessageWaits::log(Stream& stream, std::uint32_t number, Ticks at) {
  Guard const guard(mutex);
  log_held(stream, number, at);
}

void MessageWaits::log_held(Stream& stream, std::uint32_t number, Ticks at) {
  std::atomic_ref const logged(stream.label);
  PlacedInstants::One const* const open = kept_->instants.latest_open(at);
  std::uint32_t const label = open == nullptr ? 0 : label_of(open->cell);
  if (label == 0 || logged.load(std::memory_order_relaxed) >= label) return;
  // In the window of an instant, all messages are logged, or many.
  if (at >= open->closes() || repeated_++ >= most_of_instant) logged.store(label, std::memory_order_relaxed);
  if (streams_.keeps({stream.key})) append({stream.key, at, label, number});
}

// Halves the instants. Other threads compare the labels of streams with that of the latest instant meanwhile. Until
// that has its new value, which is less, they find too much to log, and wait for the mutex.
void MessageWaits::raise_level() {
  Changing const changing(kept_->is_changing);
  pending_.halve(kept_->instants);
  kept_->instants.halve();
  if (kept_->instants.level() > 40) kept_->is_broken = 1;
  thin_log();
  streams_.for_each([this](Stream& stream) {
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
  for (Awaited const& one : awaited_) {
    ++index;
    if (one.is_ticket) posted(one.number).awaited = index;
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
  for (std::size_t i = 0; i < count && kept_->is_broken == 0; ++i) {
    if (!awaited_.push_back(awaited[i])) kept_->is_broken = 1;
    else if (awaited[i].is_ticket) mark_latest_awaited();
  }
  if (kept_->is_broken != 0 || !spans_.push_back(kept)) kept_->is_broken = 1;
}

// The receive may have got its number meanwhile, if the call itself is the one that completes it.
void MessageWaits::mark_latest_awaited() {
  Awaited& one = *(awaited_.end() - 1);
  Posted& holder = posted(one.number);
  bool const is_pending = holder.state == Posted::pending || holder.state == Posted::arrived;
  if (is_pending && holder.awaited == 0) holder.awaited = static_cast<std::uint32_t>(awaited_.size());
  else one = {.comm = one.comm, .what = Awaited::other};
}

bool MessageWaits::is_lost(CommIndex comm) const {
  Queue const* const queue = queue_of(comm);
  return kept_->is_broken != 0 || (queue != nullptr && queue->is_lost);
}

// Threads are left out: with them, the instants do not tell which thread was in a call.
void MessageWaits::add_pending(RecordKey key, Ticks since) {
  if (!is_on() || kept_->is_threaded != 0) return;
  pending_.add(key, kept_->instants.count_until(since), kept_->instants.size());
}

void MessageWaits::learn(CommIndex comm, std::int32_t peer, WorldRank rank) {
  Guard const guard(mutex);
  StreamKey const key = StreamKey::of(Way::in, comm, peer, 0);
  auto const hash = [](std::uint64_t of) { return scattered(of); };
  if (!key || pair_count_ == most_pairs) return;
  Pair* const pair = pairs_.find_or_room(
      hash(key.packed), pair_count_, [=](Pair const& other) { return other.key == key.packed; },
      [=](Pair const& other) { return hash(other.key); });
  if (pair == nullptr || *pair) return;
  *pair = {key.packed, rank};
  ++pair_count_;
}

WorldRank MessageWaits::world_rank(CommIndex comm, std::int32_t peer) {
  if (comm == CommIndex::world) return static_cast<WorldRank>(peer);
  Guard const guard(mutex);
  return world_rank_held(comm, peer);
}

WorldRank MessageWaits::world_rank_held(CommIndex comm, std::int32_t peer) const {
  if (comm == CommIndex::world) return static_cast<WorldRank>(peer);
  StreamKey const key = StreamKey::of(Way::in, comm, peer, 0);
  if (pairs_.is_empty() || !key) return WorldRank::elsewhere;
  Pair const& pair = pairs_.find(scattered(key.packed), [=](Pair const& other) { return other.key == key.packed; });
  return pair ? pair.rank : WorldRank::elsewhere;
}

}  // namespace commprof
