#include "message_waits/message_waits.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/live.hpp"
#include "message_waits/message_rows.hpp"
#include "ops.hpp"

namespace commprof {

constinit MessageWaits message_waits::of_process;

void MessageWaits::begin(Ticks now, Streams::OwnRank own_rank, std::optional<ClockOffset> const& offset) {
  if (void* const pages = map_pages(sizeof(Kept), {spool::Kind::message_state, 0, 0})) kept_ = new (pages) Kept;
  if (!streams_.begin(own_rank, &kept_->choice)) return;
  kept_->instants.begin(now, offset);
  kept_->must_convert = offset ? 1 : 0;
  kept_->noticed = now;
  aligned_.set({CommIndex::unknown, 0, now, this_thread.current_call->outside_until(now)});
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
  streams_.thin();
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
  bool const is_pending = holder.state == Posted::pending || holder.state == Posted::arrived;
  if (is_pending) one.before = std::exchange(holder.awaited, static_cast<std::uint32_t>(awaited_.size()));
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

void MessageWaits::order(CommonClock const& clock) {
  Guard const guard(mutex);
  // From now on, a reader of the spool could not tell which times are converted.
  if (kept_->must_convert != 0) ++kept_->is_changing;
  Changing const changing(kept_->is_changing);
  if (cancelled_.size() > 0) renumber();
  std::sort(log_.begin(), log_.end(), [](Entry const& a, Entry const& b) {
    return std::tuple(a.key, a.label, a.count) < std::tuple(b.key, b.label, b.count);
  });
  if (kept_->must_convert == 0) return;
  if (!clock.is_known) kept_->is_broken = 1;
  clock_error_ = {static_cast<std::uint64_t>(static_cast<unsigned __int128>(clock.error_ns) * clock.rate.ticks /
                                             std::max<std::uint64_t>(clock.rate.nanoseconds, 1))};
  kept_->instants.convert(clock);
  if (known_until_ != Ticks{UINT64_MAX}) known_until_ = clock.of(known_until_);
  for (Entry& entry : log_) entry.time = clock.of(entry.time);
  for (SpanningCall& span : spans_) {
    span.entry = clock.of(span.entry);
    span.exit = clock.of(span.exit);
  }
}

// The log has several entries of a stream for an instant if hosts have clocks of their own: those within its window,
// and the first one after it.
MessageWaits::Answer MessageWaits::answer(StreamKey key, Question const& asked) const {
  if (!is_on() || !key || (key.way() == Way::in ? is_lost(key.comm()) : kept_->is_broken != 0)) return {};
  if (!instants::is_kept(asked.cell, kept_->instants.level())) return {Told::not_kept, false, {}};
  PlacedInstants::One const* const own = kept_->instants.find(asked.cell);
  Stream const* const stream = own == nullptr || !streams_.keeps(key) ? nullptr : streams_.find(key);
  if (stream == nullptr || stream->label == Stream::unknown) return {};
  std::uint32_t const label = label_of(asked.cell), number = asked.number;
  Entry const* const first =
      std::lower_bound(log_.begin(), log_.end(), std::tuple(key.packed, label),
                       [](Entry const& a, auto const& wanted) { return std::tuple(a.key, a.label) < wanted; });
  auto const is_of_stream = [&](Entry const* one) { return one != log_.end() && one->key == key.packed; };
  Entry const* entry = first;  // the first after the asker's instant
  bool is_close = false;
  for (; is_of_stream(entry) && entry->label == label && entry->time <= asked.at; ++entry)
    is_close = is_close || (entry->count == number && entry->time + asked.clock_error >= asked.at);
  // A member may make several calls before the one that is asked about: the last of these is nearest to it.
  if (key.is_of_members())
    while (is_of_stream(entry) && is_of_stream(entry + 1) && (entry + 1)->count <= number) ++entry;
  Entry const* const next = is_of_stream(entry) ? entry : nullptr;
  Ticks const when = next != nullptr ? next->time : Ticks{UINT64_MAX};
  // The messages before the instant are those of `least`, and perhaps some more below `most` that are not logged.
  std::uint32_t const most = next != nullptr ? next->count : stream->count;
  std::uint32_t const least = entry == first ? most : (entry - 1)->count + 1;
  if (number < least) return {asked.at >= own->opens() ? Told::before : Told::unknown, is_close, when, next};
  if (number < most) return {Told::unknown, is_close, when, next};
  is_close = next != nullptr && next->count == number && when <= asked.at + asked.clock_error;
  if (key.way() == Way::out) return {when <= asked.exit ? Told::after : Told::unknown, is_close, when, next};
  bool const is_complete = asked.exit <= known_until_ && !has_unnumbered(key), is_sure = next != nullptr || is_complete;
  if (when >= asked.exit) return {is_sure ? Told::not_until : Told::unknown, is_close, when, next};
  // The receive of a later message than the next one came between two entries: perhaps with the first, since receives
  // of one stream are often posted together.
  for (; is_of_stream(entry) && entry->time < asked.exit && entry->count <= number; ++entry)
    if (entry->count == number) return {Told::after, is_close, entry->time, next};
  bool const is_in_log = is_of_stream(entry), is_over = (is_in_log ? entry->count : stream->count) > number;
  if (is_over) return {Told::after, is_close || !is_in_log || entry->time >= asked.exit, when, next};
  return {is_in_log || is_complete ? Told::not_until : Told::unknown, is_close, when, next};
}

// Takes what a process has left in its spool file. The process may have been killed at any moment, and the file may be
// damaged.
namespace {

// More instants in calls than a process keeps: the file is damaged.
constexpr std::size_t most_hits = std::size_t{1} << 22;

template <class Values, class Value>
bool add_all(Values& all, std::span<Value const> more) {
  return std::all_of(more.begin(), more.end(), [&](Value const& one) { return all.push_back(one); });
}

bool are_in(std::size_t first, std::size_t count, std::size_t size) { return first <= size && count <= size - first; }

}  // namespace

bool MessageWaits::restore(Found const& found) {
  Kept const& kept = found.kept;
  bool const is_whole = kept.is_on == 1 && kept.is_changing == 0 && kept.is_broken == 0 && kept.must_convert <= 1 &&
                        kept.choice.is_changing == 0 && kept.instants.are_sound();
  if (!is_whole) return false;
  std::size_t const comms = found.own_ranks.size();
  std::size_t hits = 0;
  auto const is_sound_call = [&](SpanningCall const& one) {
    std::size_t of_call = 0;
    kept.instants.for_each(one.entry, one.exit, [&](PlacedInstants::One const&) { ++of_call; });
    hits += of_call * std::max<std::size_t>(one.count, 1);
    return are_in(one.first, one.count, found.awaited.size()) && one.op < Op::count_ && one.entry <= one.exit &&
           static_cast<std::size_t>(one.scope) < found.scopes && hits <= most_hits;
  };
  auto const is_sound_message = [&](Awaited const& one) {
    bool const is_of_joint = !one.is_of_members() || static_cast<std::uint32_t>(one.tag) < MeetingHead::Counts::joints;
    bool const is_of_comm =
        one.what == Awaited::nothing || one.what == Awaited::other || static_cast<std::size_t>(one.comm) < comms;
    return one.what <= Awaited::members && one.way <= Way::in && is_of_joint && is_of_comm;
  };
  auto const is_sound_kind = [&](PendingCounts::Kind const& one) {
    return static_cast<std::size_t>(one.key.comm()) < comms && one.key.op() < Op::count_ &&
           static_cast<std::size_t>(one.key.scope()) < found.scopes;
  };
  bool const is_sound = std::all_of(found.spans.begin(), found.spans.end(), is_sound_call) &&
                        std::all_of(found.awaited.begin(), found.awaited.end(), is_sound_message) &&
                        std::all_of(found.pending.begin(), found.pending.end(), is_sound_kind);
  if (!is_sound) return false;
  own_kept_ = kept;
  own_kept_.choice = {};  // what is not kept is left out here
  known_until_ = kept.noticed;
  auto const own_rank = [&](CommIndex comm) {
    auto const i = static_cast<std::size_t>(comm);
    return i < comms ? found.own_ranks[i] : 0;
  };
  return streams_.restore(found.streams, kept.choice, own_rank) && add_all(log_, found.log) &&
         add_all(spans_, found.spans) && add_all(awaited_, found.awaited) && add_all(queues_, found.queues) &&
         add_all(cancelled_, found.cancelled) && pending_.restore(found.pending);
}

}  // namespace commprof
