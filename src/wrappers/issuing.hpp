// Counts a call that begins a request, and puts the request into the table, so that its completion counts on this
// communicator.
#pragma once

#include "wrappers/awaited.hpp"
#include "wrappers/counting.hpp"
#include "wrappers/requests_of_call.hpp"

namespace commprof {

namespace issuing {

[[gnu::always_inline]] inline void follow_pending(Call const& call, RequestsOfCall issued, IssuedRequest request) {
  request.issue_time = call.elapsed();
  request.since = call.interval().end;
  requests::insert(issued.key(0), issued.variable(0), request);
}
[[gnu::always_inline]] inline void follow(Call const& call, RequestsOfCall issued, IssuedRequest request) {
  if (!issued.is_null(0))
    follow_pending(call, issued, request);  // null: MPICH returns no request for an operation that is complete
}

// With COMMPROF_INTERNAL=1: announces the request of a nonblocking collective before its messages are counted.
template <class VolumeRule>
void announce(Op, CountedComm const&, CountedComm const&, VolumeRule const&) {}
template <class VolumeRule>
[[gnu::always_inline]] inline void announce(Op op, GivenComm given, CachedCall const& found, VolumeRule const& rule) {
  if (!given.sends && state.options.internal) [[unlikely]]
    mpi_messages::issued(given.comm, found.comm->index, op,
                         counting::size_for_others(counting::view_of(given, found), rule), false);
}

inline void set_ranks(IssuedRequest&, CountedComm const&) {}
[[gnu::always_inline]] inline void set_ranks(IssuedRequest& request, GivenComm given) {
  request.set_ranks(given.source, given.dest);
}

inline bool succeeded(CountedComm const& place) { return place.succeeded(); }
inline bool succeeded(GivenComm) { return true; }  // a failed call has no cache entry

}  // namespace issuing

// A call issues a request or, if it failed, does not.
template <class Where, class VolumeRule>
[[gnu::always_inline]] inline void issue(Call const& call, Op op, Where where, RequestsOfCall request,
                                         VolumeRule const& rule) {
  auto* const found = counting::find(op, where);
  if (found == nullptr) [[unlikely]]
    return counting::lost_with_messages(call, op, where);
  issuing::announce(op, where, *found, rule);
  counting::add(call, op, where, *found, rule);
  if (!issuing::succeeded(where)) return;
  IssuedRequest issued{.key = counting::key_of(*found, op)};
  issuing::set_ranks(issued, where);
  awaited::issued(call, where, *found, issued);
  issuing::follow(call, request, issued);
}

// A call issues a receive. It is counted when the receive completes, with the volume known now plus the bytes that
// arrived.
template <class Where, class VolumeRule>
[[gnu::always_inline]] inline void post(Call const& call, Op op, Where where, RequestsOfCall request,
                                        VolumeRule const& rule) {
  auto* const found = counting::find(op, where);
  if (found == nullptr) [[unlikely]]
    return counting::lost_with_messages(call, op, where);
  if (!issuing::succeeded(where) || request.is_null(0)) [[unlikely]]
    return counting::add(call, op, where, *found, rule);
  IssuedRequest posted{.known = rule(counting::view_of(where, *found)),
                       .key = counting::key_of(*found, op),
                       .traits = IssuedRequest::receiving};
  issuing::set_ranks(posted, where);
  awaited::issued(call, where, *found, posted);
  issuing::follow_pending(call, request, posted);
}

// A call creates a persistent request. rule: the volume of each start; for a receive, without the bytes that arrive.
template <class VolumeRule>
void prepare(Call const& call, Op op, GivenComm given, RequestsOfCall request, bool receives, VolumeRule const& rule) {
  CachedCall const* const found = counting::find(op, given);
  if (found == nullptr) return counting::lost(call, op, given);
  CommIndex const comm = found->comm->index;
  if (!receives) issuing::announce(op, given, *found, rule);
  record(call, op, CountedComm{comm, MPI_SUCCESS, given.comm}, volume::none);  // sends nothing yet
  CommView const view = counting::view_of(given, *found);
  IssuedRequest prepared{.known = rule(view),
                         .key = key_of_begun(comm, op),
                         .traits = IssuedRequest::persistent | (receives ? IssuedRequest::receiving : 0)};
  prepared.set_only_rank(receives ? given.source : given.dest);
  awaited::prepared(given, *found, prepared);
  if (!receives && given.dest >= 0 && state.options.peers)
    prepared.set_destination(communicators::world_rank(view, given.dest));
  issuing::follow(call, request, prepared);
}

// A probe matched a message, which MPI_Mrecv or MPI_Imrecv will receive.
void match(MPI_Comm comm, MPI_Message message, void const* variable);

}  // namespace commprof
