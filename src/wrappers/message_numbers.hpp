// Numbers the messages of blocking calls: see message_waits/message_waits.hpp.
#pragma once

#include "comm_naming/comm_naming.hpp"
#include "counters/counters.hpp"
#include "message_waits/message_waits.hpp"
#include "mpi/mpi.hpp"
#include "ops.hpp"
#include "wrappers/call.hpp"
#include "wrappers/given_comm.hpp"
#include "wrappers/places.hpp"

namespace commprof {

namespace awaited {

void learn(CommOfCall comm, Communicator const& record, int peer);
void span_of_blocking(Op op, Interval interval, CommIndex comm, int dest, int tag, std::uint32_t sent,
                      MPI_Status const* status, std::uint32_t taken, bool is_ticket);

// Counts the message that a call sends, and returns its number.
[[gnu::always_inline]] inline std::uint32_t send(Call const& call, GivenComm given, CachedCall const& cached) {
  StreamKey const key = StreamKey::of(Way::out, cached.comm->index, given.dest, given.tag);
  std::uint32_t const number = message_waits::of_process.count(key, call.start());
  if (number == 0) [[unlikely]]
    learn(given.comm, *cached.comm, given.dest);
  return number;
}

// A call with these messages has failed, or found no memory: perhaps after it has sent or received one.
[[gnu::cold]] void failed(MPI_Comm comm, int result, int dest, int tag, bool takes, int source, int source_tag);
inline void failed(CountedComm const&) {}
[[gnu::always_inline]] inline void failed(GivenComm given) {
  bool const sends = given.sends && given.tag != GivenComm::no_message;
  bool const posts = given.source_tag != GivenComm::no_message;
  if (!sends && !given.takes && !posts) return;
  failed(given.comm, given.result, sends ? given.dest : GivenComm::nobody, given.tag, given.takes || posts,
         posts ? given.source : MPI_ANY_SOURCE, posts ? given.source_tag : MPI_ANY_TAG);
}

// Notices that an instant has passed or a window of time has begun. is_added: the call is in its record already.
[[gnu::cold]] void notice(Interval interval, Op op, bool is_added);

// For a call without a message.
[[gnu::always_inline]] inline void pass(Interval interval, Op op, bool is_added) {
  if (message_waits::of_process.may_span(interval)) [[unlikely]]
    notice(interval, op, is_added);
}

// Counts the messages of a blocking call that has succeeded.
inline void count(Call const& call, Op op, CountedComm const&, CountedComm const&) { pass(call.interval(), op, true); }
[[gnu::always_inline]] inline void count(Call const& call, Op op, GivenComm given, CachedCall const& cached) {
  MessageWaits& waits = message_waits::of_process;
  if ((!given.sends && !given.awaits) || !waits.is_on()) return pass(call.interval(), op, true);
  std::uint32_t const sent = given.sends ? send(call, given, cached) : Streams::no_number;
  MessageNumber taken;
  if (given.takes) {
    CommIndex const comm = cached.comm->index;
    taken = waits.receive(comm, given.status->MPI_SOURCE, given.status->MPI_TAG, call.start());
    if (taken.value == 0 || taken.is_ticket) [[unlikely]]
      learn(given.comm, *cached.comm, given.status->MPI_SOURCE);
  }
  if (waits.may_span(call.interval())) [[unlikely]]
    span_of_blocking(op, call.interval(), cached.comm->index, given.sends ? given.dest : GivenComm::nobody, given.tag,
                     sent, given.awaits ? given.status : nullptr, taken.value, taken.is_ticket);
}

}  // namespace awaited

}  // namespace commprof
