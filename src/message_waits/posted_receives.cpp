// Receives that may have to wait for their numbers: those with wildcards, and what was posted after them.
#include <algorithm>

#include "base/changing.hpp"
#include "message_waits/message_waits.hpp"

namespace commprof {

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

// Numbers the receives that may have had to wait for one that has changed. changed: as it was posted. Receives
// behind another one that may take the same messages still wait, so it looks no further than there.
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

}  // namespace commprof
