// Receives that may have to wait for their numbers: those with wildcards, and what was posted after them.
#include <algorithm>
#include <utility>

#include "message_waits/message_waits.hpp"

namespace commprof {

// nullptr without memory. Streams of communicators with higher indices have no key, so these need no queue.
MessageWaits::Queue* MessageWaits::queue_or_new(CommIndex comm) {
  while (queues_.size() <= static_cast<std::size_t>(comm))
    if (!queues_.push_back({})) return nullptr;
  return queue_of(comm);
}

// Whether a receive of a known stream cannot have its number yet, because one that was posted before it, and before the
// ticket `until`, may be of that stream. steps: how many of these it may still look at.
bool MessageWaits::is_behind_others(Queue const& queue, std::uint32_t until, std::int32_t source, std::int32_t tag,
                                    std::size_t& steps) const {
  if (!queue.may_have_tag(tag)) return false;
  for (std::uint32_t ticket = queue.first; ticket != until; ticket = posted(ticket).next)
    if (steps == 0 || posted(ticket).covers(source, tag) || --steps == 0) return true;
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

MessageNumber MessageWaits::receive_behind(CommIndex comm, std::int32_t source, std::int32_t tag, Ticks at, Op op,
                                           bool is_complete) {
  // Nothing is known of MPI_PROC_NULL, and of communicators beyond those of keys.
  if (!StreamKey::of(Way::in, comm, source == any_peer ? 0 : source, tag == any_tag ? 0 : tag)) return {};
  {
    Guard const guard(mutex);
    Queue* queue = queue_of(comm);
    std::size_t steps = most_passed;
    if (source == any_peer || tag == any_tag || (queue != nullptr && is_behind_others(*queue, 0, source, tag, steps))) {
      if (is_lost(comm)) return {};
      queue = queue_or_new(comm);
      Posted const one{.comm = comm,
                       .source = source,
                       .tag = tag,
                       .at = at,
                       .stamp = Stamp::of(at, this_thread.current_call->outside_before()),
                       .detail = detail_of(op),
                       .state = is_complete ? Posted::arrived : Posted::pending};
      std::uint32_t const ticket = queue == nullptr ? 0 : enqueue(*queue, one);
      if (ticket == 0) return give_up(comm), MessageNumber{};
      return {ticket, true};
    }
  }
  return {count(StreamKey::of(Way::in, comm, source, tag), at, op)};
}

// Numbers the receives that may have had to wait for one that has changed. changed: as it was posted. Receives
// behind another one that may take the same messages still wait, so it looks no further than there. What it does not
// reach in its steps is numbered later.
void MessageWaits::settle(Posted const& changed) {
  Queue* const queue = queue_of(changed.comm);
  std::uint32_t before = 0;
  std::size_t passed = 0, steps = 2 * most_passed;
  for (std::uint32_t ticket = queue == nullptr ? 0 : queue->first; ticket != 0 && passed < most_passed;) {
    if (unsettled_ == 0) return;
    Posted const one = posted(ticket);
    bool const is_taken_back = one.state == Posted::taken_back;
    bool const is_numbered =
        one.state == Posted::arrived && !is_behind_others(*queue, ticket, one.source, one.tag, steps);
    if (is_taken_back || is_numbered) {
      --unsettled_;
      (before == 0 ? queue->first : posted(before).next) = one.next;
      if (queue->last == ticket) queue->last = before;
      --queue->size;
      queued_.store(queued_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
      if (is_numbered) number(one);
      else resolve(one, Streams::no_number);
      free(ticket);
    } else {
      if (one.state == Posted::pending && one.covers(changed.source, changed.tag)) return;
      before = ticket;
      ++passed;
    }
    ticket = one.next;
  }
}

void MessageWaits::number(Posted const& one) {
  StreamKey const key = StreamKey::of(Way::in, one.comm, one.source, one.tag);
  Stream* const stream = key ? streams_.find_or_add(key) : nullptr;
  if (stream == nullptr) return resolve(one, Streams::no_number);
  std::uint32_t const number = std::atomic_ref(stream->count).fetch_add(1, std::memory_order_relaxed);
  stamp(*stream, number, one.stamp);
  resolve(one, number, lap_of(*stream, number));  // before the log, which may drop calls, and so moves what they await
  log_held(key, *stream, number, one.at, one.detail);
}

// Tells the number to the spanning calls that hold the ticket.
void MessageWaits::resolve(Posted const& one, std::uint32_t number, Stamp lap) {
  for (std::uint32_t place = one.awaited; place != 0;) {
    Awaited& awaited = *(awaited_.begin() + (place - 1));
    place = std::exchange(awaited.before, 0);
    awaited.number = number;
    awaited.lap = lap;
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
  Queue* const queue = queue_or_new(comm);
  if (queue == nullptr) return void(kept_->is_broken = 1);
  queue->is_lost = true;
  for (std::uint32_t ticket = queue->first; ticket != 0;) {
    Posted const one = posted(ticket);
    resolve(one, Streams::no_number);
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
  if (!is_on() || !StreamKey::of(Way::in, comm, 0, 0)) return;  // of other communicators nothing is known
  Guard const guard(mutex);
  if (!is_lost(comm)) give_up(comm);
}

bool MessageWaits::is_doubtful(StreamKey key) const {
  Stream const* const stream = streams_.find(key);
  return stream != nullptr && stream->label == Stream::unknown;
}

// If there are later ones, order() changes their numbers.
void MessageWaits::give_back(StreamKey key, std::uint32_t number) {
  {
    Guard const guard(mutex);
    Stream* const stream = key ? streams_.find_or_add(key) : nullptr;
    if (stream == nullptr) return;
    std::uint32_t next = number + 1;
    if (std::atomic_ref(stream->count).compare_exchange_strong(next, number, std::memory_order_relaxed)) return;
    if (cancelled_.size() < most_cancelled && cancelled_.push_back({key.packed, number})) return;
  }
  doubt(key);
}

// Lowers all numbers by that of the cancelled messages before.
void MessageWaits::renumber() {
  std::sort(cancelled_.begin(), cancelled_.end());
  auto const before = [this](std::uint64_t key, std::uint32_t number) {
    Cancelled const* const first = std::lower_bound(cancelled_.begin(), cancelled_.end(), Cancelled{key, 0});
    return static_cast<std::uint32_t>(std::lower_bound(first, std::as_const(cancelled_).end(), Cancelled{key, number}) -
                                      first);
  };
  for (Entry& entry : log_) entry.count -= before(entry.key, entry.count);
  for (Awaited& one : awaited_)
    if (one.is_known()) one.number -= before(one.key().packed, one.number);
  streams_.for_each([&](std::uint64_t key, Stream& stream) { stream.count -= before(key, stream.count); });
  cancelled_.shrink(0);
}

MessageNumber MessageWaits::next_number(CommIndex comm, std::int32_t source, std::int32_t tag) {
  StreamKey const key = StreamKey::of(Way::in, comm, source, tag);
  if (queued_.load(std::memory_order_relaxed) != 0) {
    Guard const guard(mutex);
    Queue const* const queue = queue_of(comm);
    std::size_t steps = most_passed;
    if (queue != nullptr && is_behind_others(*queue, 0, source, tag, steps)) return {};
  }
  Stream* const stream = key ? streams_.find_or_add(key) : nullptr;
  if (stream == nullptr) return {};
  return {std::atomic_ref(stream->count).load(std::memory_order_relaxed)};
}

}  // namespace commprof
