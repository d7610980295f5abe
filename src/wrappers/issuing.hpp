// Counts a call that begins a request, and puts the request into the table, so that its completion counts on this
// communicator. Counts calls that start persistent requests, and calls that make or free a communicator, or an object
// made from one, such as a window or a file.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "wrappers/awaited.hpp"
#include "wrappers/counting.hpp"

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
                         counting::size_for_others(counting::view_of(given, found), rule));
}

inline void set_ranks(IssuedRequest&, CountedComm const&) {}
[[gnu::always_inline]] inline void set_ranks(IssuedRequest& request, GivenComm given) {
  request.set_ranks(given.source, given.dest);
}

inline bool succeeded(CountedComm const& place) { return place.succeeded(); }
inline bool succeeded(GivenComm) { return true; }  // a failed call has no cache entry

// A call without a request has a number nevertheless, if all members make it.
inline void join(Call const& call, Op op, CountedComm const& place) {
  if (awaited::joins_members(op) && message_waits::of_process.is_on()) awaited::join(place.index, op, call.start());
}
inline void join(Call const&, Op, GivenComm) {}

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
  if (!issuing::succeeded(where)) return issuing::join(call, op, where);
  IssuedRequest issued{.key = counting::key_of(*found, op)};
  issuing::set_ranks(issued, where);
  awaited::issued(call, op, where, *found, issued);
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
  if (!issuing::succeeded(where) || request.is_null(0)) [[unlikely]] {
    issuing::join(call, op, where);
    return counting::add(call, op, where, *found, rule);
  }
  IssuedRequest posted{.known = rule(counting::view_of(where, *found)),
                       .key = counting::key_of(*found, op),
                       .traits = IssuedRequest::receiving};
  issuing::set_ranks(posted, where);
  awaited::issued(call, op, where, *found, posted);
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

// A probe matched a message, which MPI_Mrecv or MPI_Imrecv will receive. Only their variables tell messages from
// MPI_PROC_NULL apart.
inline void match(MPI_Comm comm, MPI_Message message, void const* variable) {
  CommIndex const index = communicators::of(comm);
  matched_messages.add(handle_bits(message), index);
  if (message == MPI_MESSAGE_NO_PROC) matched_messages.add(requests::variable_of(variable), index);
}

inline CommIndex comm_of(CommIndex comm) { return comm; }

// Sorts a call's requests by their communicators and calls visit(first, last, share) for those on each one. Request:
// has an order in which the communicator comes first, and comm_of(). There is at least one. Each share is taken of what
// is left, so that rounding loses nothing: the shares add up to the whole.
template <class Request, class Visitor>
void for_each_share(Request* first, Request* last, Ticks time, Visitor&& visit) {
  auto const is_elsewhere = [first](Request const& one) { return comm_of(one) != comm_of(*first); };
  if (std::none_of(first + 1, last, is_elsewhere)) return visit(first, last, time);
  if (!std::is_sorted(first, last)) std::sort(first, last);
  auto left = static_cast<std::uint64_t>(last - first);
  while (first != last) {
    Request* next = first + 1;
    while (next != last && comm_of(*next) == comm_of(*first)) ++next;
    auto const requests = static_cast<std::uint64_t>(next - first);
    Ticks const share{static_cast<std::uint64_t>(static_cast<unsigned __int128>(time.count) * requests / left)};
    visit(first, next, share);
    time -= share;
    left -= requests;
    first = next;
  }
}

// Persistent requests: a call of MPI_Start or MPI_Startall counts once on each communicator of the requests that it
// starts, with their bytes and a share of its time. See StartedCalls for those that start receives.
//
// The requests of MPI_Start or MPI_Startall. They are looked up by their keys from before the call, since a call can
// change the handle: Open MPI does so for a persistent buffered send whose previous data are still in transit.
class Starting {
 public:
  [[gnu::always_inline]] Starting(int count, RequestsOfCall requests)
      : requests_(requests),
        count_(!requests || count < 0 ? 0 : static_cast<std::size_t>(count)),
        memory_(count_ * (sizeof(RequestKey) + sizeof(Started))) {
    if (!memory_) [[unlikely]]
      count_ = 0;
    for (std::size_t i = 0; i < count_; ++i) keys()[i] = requests.key(i);
  }
  Starting(Starting const&) = delete;
  Starting& operator=(Starting const&) = delete;

  void started(Call const& call, Op op, int result) const;

 private:
  // A request that the call was given.
  struct Started {
    CommIndex comm;
    std::uint32_t number;  // index in the call

    auto operator<=>(Started const&) const = default;
    friend CommIndex comm_of(Started const& one) { return one.comm; }
  };

  RequestKey* keys() const { return reinterpret_cast<RequestKey*>(all() + count_); }
  Started* all() const { return memory_->as<Started>(); }
  // Calls visit(table, entry) for a request, if it is known.
  template <class Visitor>
  void visit(std::size_t i, Visitor&& visitor) const {
    requests::with_request(keys()[i], requests_.variable(i), visitor);
  }
  void count(Call const& call, Op op, CommIndex comm, Started const* first, Started const* last, Ticks share,
             int result) const;
  void follow_new_keys() const;

  RequestsOfCall requests_;
  std::size_t count_;
  HeldMemory memory_;
};

// A persistent receive that was started has completed, and `arrived` bytes have arrived. The caller holds the lock of
// the request's table.
void complete_started(PendingRequest& request, std::uint64_t arrived);

// Counts a creation call on its parent and gives the new communicator a record. request: only for a nonblocking call.
void create(Call const& call, communicators::CreationCall const& creation, CountedComm parent, MPI_Comm const* comm,
            RequestsOfCall request = nullptr);
void create(Call const& call, communicators::CreationCall const& creation, GivenComm parent, MPI_Comm const* comm,
            RequestsOfCall request = nullptr);

// Counts the release of a communicator, or of an object made from it, on the communicator's record.
void release(Call const& call, Op op, CommIndex index);

}  // namespace commprof
