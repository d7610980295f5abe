// Numbers the messages of requests, and keeps the calls in which an instant lies: see message_waits/message_waits.hpp.
#pragma once

#include "calls/by_operation.hpp"
#include "message_waits/message_waits.hpp"
#include "mpi/mpi.hpp"
#include "request_table/requests.hpp"
#include "wrappers/counting.hpp"

namespace commprof::awaited {

// Whether a process may wait in the operation for a message or for a receive.
bool may_wait(Op op);

// Numbers a receive from any source, with any tag or from MPI_PROC_NULL.
[[gnu::cold]] MessageNumber post(CommOfCall comm, Communicator const& record, int source, int tag, Ticks at, Op op);

// Counts the messages of a call that has issued a request.
inline void issued(Call const& call, Op op, CountedComm const& place, CountedComm const&, IssuedRequest& request) {
  if (joins_members(op) && message_waits::of_process.is_on())
    request.set_members(GivenComm::nobody, calls::joint_of(op), join(place.index, op, call.start()));
  pass(call.interval(), op, !request.receives());
}
[[gnu::always_inline]] inline void issued(Call const& call, Op op, GivenComm given, CachedCall const& cached,
                                          IssuedRequest& request) {
  bool const posts = given.source_tag != GivenComm::no_message;
  if (joins_members(op) && message_waits::of_process.is_on()) {
    learn(given.comm, *cached.comm, given.root);
    request.set_members(given.root, calls::joint_of(op), join(cached.comm->index, op, call.start()));
  }
  if ((!given.sends && !posts) || !message_waits::of_process.is_on())
    return pass(call.interval(), op, !request.receives());
  if (given.sends) {
    std::uint32_t const number = send(call, op, given, cached);
    request.set_message(Way::out, given.tag, given.dest >= 0 ? number : IssuedRequest::no_message);
  }
  if (!posts) return;
  // MPI_ANY_SOURCE, MPI_ANY_TAG and MPI_PROC_NULL are negative, so they have no key.
  StreamKey const key = StreamKey::of(Way::in, cached.comm->index, given.source, given.source_tag);
  std::uint32_t number = 0;
  if (key) [[likely]] {
    number = message_waits::of_process.count(key, call.start(), op);
    if (number == 0) [[unlikely]]
      learn(given.comm, *cached.comm, given.source);
  } else {
    MessageNumber const found = post(given.comm, *cached.comm, given.source, given.source_tag, call.start(), op);
    number = found.value;
    if (found.is_ticket) request.traits |= IssuedRequest::ticket;
  }
  request.set_message(Way::in, given.source_tag, number);
}

// A call has prepared a persistent request, whose messages are counted when it is started.
void prepared(GivenComm given, CachedCall const& cached, IssuedRequest& request);
void started(PendingRequest& request, Op op, Interval call);

// Counts the instants at which a request was pending that is so no longer. Must precede what else ends it.
[[gnu::noinline, gnu::cold]] void add_pending(PendingRequest const& request);
[[gnu::always_inline]] inline void end_pending(PendingRequest const& request) {
  if (message_waits::of_process.has_passed_since(request.since)) [[unlikely]]
    add_pending(request);
}

// The request has completed. status: nullptr if it was cancelled.
void completed(PendingRequest& request, MPI_Status const* status);
// The request has ended, and nobody knows what it has received.
void lost(PendingRequest& request);

// The requests of a call in which an instant lies.
class Collector {
 public:
  // ends_with_any: see SpanningCall. requests: how many the call has. Of more than most_awaited, evenly spread ones
  // stand for all.
  Collector(Op op, Interval interval, bool ends_with_any, std::size_t requests = 1);
  void add(std::uint64_t key, std::uint64_t variable);
  void add(Awaited const& one);
  void keep();

 private:
  void add(PendingRequest const& request);

  SpanningCall call_;
  bool is_counted_ = false;  // false: in a pause
  std::size_t count_ = 0, seen_ = 0, step_ = 1;
  union Unset {
    Unset() {}
    Awaited all[SpanningCall::most_awaited];
  } awaited_;  // the first `count_`: initialising the others would take longer than the rest
};

}  // namespace commprof::awaited
