#include "message_waits/message_waits.hpp"

#include <algorithm>
#include <tuple>

#include "base/changing.hpp"
#include "message_waits/thinned_spans.hpp"

namespace commprof {

constinit MessageWaits message_waits::of_process;

void MessageWaits::begin(Ticks now, Streams::OwnRank own_rank, std::optional<ClockOffset> const& offset,
                         PendingSpans::Visit visit_pending) {
  if (void* const pages = map_pages(sizeof(Kept), {spool::Kind::message_state, 0, 0})) kept_ = new (pages) Kept;
  if (!streams_.begin(own_rank, &kept_->choice)) return;
  kept_->instants.begin(now, offset);
  kept_->must_convert = offset ? 1 : 0;
  visit_pending_ = visit_pending;
  kept_->noticed = now;
  kept_->is_on = 1;
  if (state.is_threaded()) streams_.begin_threads();
  set_next();
}

void MessageWaits::begin_threads() {
  Guard const guard(mutex);
  streams_.begin_threads();
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
  Ticks const begin = kept_->noticed;
  kept_->noticed = exit;
  kept_->instants.place(exit);
  if (PlacedInstants::One const* const latest = kept_->instants.latest(exit))
    latest_.store(std::max(latest->at.count, latest_.load(std::memory_order_relaxed)), std::memory_order_relaxed);
  // With threads, other ones may be changing the requests.
  while (visit_pending_ != nullptr && !state.is_threaded() && kept_->instants.lies_in(begin, exit) &&
         kept_->is_broken == 0 && !pending_.add(begin, entry, exit, visit_pending_))
    raise_level();
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
  pending_.thin(kept_->instants);
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

void MessageWaits::thin_spans() {
  thin(spans_, awaited_, kept_->instants, [](SpanningCall const& one) { return one.entry; });
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
    Awaited one = awaited[i];
    if (one.is_ticket) mark_awaited(one);
    if (!awaited_.push_back(one)) kept_->is_broken = 1;
  }
  if (kept_->is_broken != 0 || !spans_.push_back(kept)) kept_->is_broken = 1;
}

// The receive may have got its number meanwhile, if the call itself is the one that completes it.
void MessageWaits::mark_awaited(Awaited& one) {
  Posted& holder = posted(one.number);
  bool const is_pending = holder.state == Posted::pending || holder.state == Posted::arrived;
  if (is_pending) holder.is_awaited = true;
  else one = {.comm = one.comm, .what = Awaited::other};
}

MessageWaits::Queue* MessageWaits::queue_of(CommIndex comm) {
  for (Queue& queue : queues_)
    if (queue.comm == comm) return &queue;
  return nullptr;
}

bool MessageWaits::has_unnumbered(StreamKey key) const {
  return std::any_of(queues_.begin(), queues_.end(),
                     [=](Queue const& one) { return one.comm == key.comm() && one.may_have_tag(key.tag()); });
}

// Whether a receive of a known stream cannot have its number yet, because one that was posted before it, and before the
// ticket `until`, may be of that stream. Looks at a bounded number of these.
bool MessageWaits::is_behind_others(Queue const& queue, std::uint32_t until, std::int32_t source,
                                    std::int32_t tag) const {
  if (!queue.may_have_tag(tag)) return false;
  std::size_t passed = 0;
  for (std::uint32_t ticket = queue.first; ticket != until; ticket = posted(ticket).next)
    if (posted(ticket).covers(source, tag) || ++passed == most_passed) return true;
  return false;
}

// 0: there is no room.
std::uint32_t MessageWaits::enqueue(Queue& queue, Posted const& one) {
  std::uint32_t ticket = free_ticket_;
  if (ticket != 0) free_ticket_ = posted(ticket).next;
  else if (posted_.size() < most_posted && posted_.push_back({})) ticket = static_cast<std::uint32_t>(posted_.size());
  else return 0;
  posted(ticket) = one;
  if (one.state == Posted::arrived) ++unsettled_;
  bool const is_first = queue.first == 0;
  if (is_first) queue.first = ticket;
  else posted(queue.last).next = ticket;
  queue.last = ticket;
  ++queue.size;
  queued_.store(queued_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (is_first) queue.has_any_tag = false;
  if (one.tag == any_tag) queue.has_any_tag = true;
  queue.least_tag = is_first ? one.tag : std::min(queue.least_tag, one.tag);
  queue.most_tag = is_first ? one.tag : std::max(queue.most_tag, one.tag);
  return ticket;
}

void MessageWaits::free(std::uint32_t ticket) {
  posted(ticket) = {};
  posted(ticket).next = free_ticket_;
  free_ticket_ = ticket;
}

MessageNumber MessageWaits::receive_behind(CommIndex comm, std::int32_t source, std::int32_t tag, Ticks at,
                                           bool is_complete) {
  bool const is_wild = source == any_peer || tag == any_tag;
  if (!is_wild && !StreamKey::of(Way::in, comm, source, tag)) return {};  // MPI_PROC_NULL
  {
    Guard const guard(mutex);
    Queue* queue = queue_of(comm);
    if (is_wild || (queue != nullptr && is_behind_others(*queue, 0, source, tag))) {
      if (is_lost(comm)) return {};
      if (queue == nullptr && queues_.push_back({})) {
        queue = queues_.end() - 1;
        queue->comm = comm;
      }
      Posted const one{comm, source, tag, at, 0, is_complete ? Posted::arrived : Posted::pending, false};
      std::uint32_t const ticket = queue == nullptr ? 0 : enqueue(*queue, one);
      if (ticket == 0) return give_up(comm), MessageNumber{};
      return {ticket, true};
    }
  }
  return {count(StreamKey::of(Way::in, comm, source, tag), at)};
}

// Numbers the receives that may have had to wait for one that has changed. changed: as it was posted. Those behind
// another one that may take the same messages still wait, so it looks no further than there.
void MessageWaits::settle(Posted const& changed) {
  Queue* const queue = queue_of(changed.comm);
  std::uint32_t before = 0;
  std::size_t passed = 0;
  for (std::uint32_t ticket = queue == nullptr ? 0 : queue->first; ticket != 0 && passed < most_passed;) {
    if (unsettled_ == 0) return;
    Posted const one = posted(ticket);
    bool const is_taken_back = one.state == Posted::taken_back;
    bool const is_numbered = one.state == Posted::arrived && !is_behind_others(*queue, ticket, one.source, one.tag);
    if (is_taken_back || is_numbered) {
      --unsettled_;
      (before == 0 ? queue->first : posted(before).next) = one.next;
      if (queue->last == ticket) queue->last = before;
      --queue->size;
      queued_.store(queued_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
      if (is_numbered) number(one, ticket);
      else resolve(ticket, one, Streams::no_number);
      free(ticket);
    } else {
      if (one.state == Posted::pending && one.covers(changed.source, changed.tag)) return;
      before = ticket;
      ++passed;
    }
    ticket = one.next;
  }
}

void MessageWaits::number(Posted const& one, std::uint32_t ticket) {
  StreamKey const key = StreamKey::of(Way::in, one.comm, one.source, one.tag);
  Stream* const stream = key ? streams_.find_or_add(key) : nullptr;
  std::uint32_t number = Streams::no_number;
  if (stream != nullptr) {
    number = std::atomic_ref(stream->count).fetch_add(1, std::memory_order_relaxed);
    log_held(*stream, number, one.at);
  }
  resolve(ticket, one, number);
}

// Tells the number to the spanning calls that hold the ticket.
void MessageWaits::resolve(std::uint32_t ticket, Posted const& one, std::uint32_t number) {
  if (!one.is_awaited) return;
  for (Awaited& awaited : awaited_) {
    if (!awaited.is_ticket || awaited.number != ticket) continue;
    awaited.number = number;
    awaited.peer = one.source;
    awaited.tag = one.tag;
    awaited.world_rank = world_rank_held(one.comm, one.source);
    std::atomic_signal_fence(std::memory_order_seq_cst);  // killed before that, the process leaves a ticket
    awaited.is_ticket = false;
  }
}

void MessageWaits::complete(std::uint32_t ticket, std::int32_t source, std::int32_t tag) {
  Guard const guard(mutex);
  Posted& one = posted(ticket);
  if (one.state == Posted::given_up) return free(ticket);
  if (one.state != Posted::pending) return;
  if (!StreamKey::of(Way::in, one.comm, source, tag)) return give_up(one.comm), free(ticket);
  Posted const as_posted = one;
  ++unsettled_;
  one.state = Posted::arrived;
  one.source = source;
  one.tag = tag;
  settle(as_posted);
}

void MessageWaits::cancel(std::uint32_t ticket) {
  Guard const guard(mutex);
  Posted& one = posted(ticket);
  if (one.state == Posted::given_up) return free(ticket);
  if (one.state != Posted::pending) return;
  Posted const as_posted = one;
  ++unsettled_;
  one.state = Posted::taken_back;
  settle(as_posted);
}

void MessageWaits::lose(std::uint32_t ticket) {
  Guard const guard(mutex);
  Posted const one = posted(ticket);
  if (one.state == Posted::pending) give_up(one.comm);
  if (one.state == Posted::pending || one.state == Posted::given_up) free(ticket);
}

// From now on, nothing is known of the communicator's receives. Pending ones keep their tickets.
void MessageWaits::give_up(CommIndex comm) {
  if (!lost_.push_back(comm)) kept_->is_broken = 1;
  Queue* const queue = queue_of(comm);
  if (queue == nullptr) return;
  for (std::uint32_t ticket = queue->first; ticket != 0;) {
    Posted const one = posted(ticket);
    resolve(ticket, one, Streams::no_number);
    if (one.state == Posted::pending) posted(ticket).state = Posted::given_up;
    else free(ticket), --unsettled_;
    ticket = one.next;
  }
  queued_.store(queued_.load(std::memory_order_relaxed) - queue->size, std::memory_order_relaxed);
  queue->first = queue->last = queue->size = 0;
}

void MessageWaits::doubt(StreamKey key) {
  if (!key || !is_on()) return;
  Guard const guard(mutex);
  if (Stream* const stream = streams_.find_or_add(key))
    std::atomic_ref(stream->label).store(Stream::unknown, std::memory_order_relaxed);
}

void MessageWaits::doubt_receives(CommIndex comm) {
  if (!is_on()) return;
  Guard const guard(mutex);
  if (!is_lost(comm)) give_up(comm);
}

bool MessageWaits::is_doubtful(StreamKey key) const {
  Stream const* const stream = streams_.find(key);
  return stream != nullptr && stream->label == Stream::unknown;
}

bool MessageWaits::give_back(StreamKey key, std::uint32_t number) {
  if (state.is_threaded()) return doubt(key), false;
  Stream* const stream = key ? streams_.find_or_add(key) : nullptr;
  if (stream == nullptr) return false;
  Changing const changing(kept_->is_changing);
  --stream->count;
  for (Entry& entry : log_)
    if (entry.key == key.packed && entry.count > number) --entry.count;
  for (Awaited& one : awaited_)
    if (one.is_known() && one.key() == key && one.number > number) --one.number;
  return true;
}

MessageNumber MessageWaits::next_number(CommIndex comm, std::int32_t source, std::int32_t tag) {
  StreamKey const key = StreamKey::of(Way::in, comm, source, tag);
  if (queued_.load(std::memory_order_relaxed) != 0) {
    Guard const guard(mutex);
    Queue const* const queue = queue_of(comm);
    if (queue != nullptr && is_behind_others(*queue, 0, source, tag)) return {};
  }
  Stream* const stream = key ? streams_.find_or_add(key) : nullptr;
  if (stream == nullptr) return {};
  return {std::atomic_ref(stream->count).load(std::memory_order_relaxed)};
}

bool MessageWaits::is_lost(CommIndex comm) const {
  return kept_->is_broken != 0 || std::find(lost_.begin(), lost_.end(), comm) != lost_.end();
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
