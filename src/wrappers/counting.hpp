// Counts a call: record() looks up the communicator of the call and adds to the record of communicator, scope,
// operation and size class.
//
// The communicator is given as a CountedComm, a Target or a GivenComm. Each has the result of the call: a failed call
// moved no data, and its handle may be invalid.
//
// A call on a GivenComm takes the fast path: the CallCache has the record in which the operation counted last on this
// handle. So a call like the one before costs a few comparisons and additions.
#pragma once

#include "calls/by_operation.hpp"
#include "comm_naming/comm_naming.hpp"
#include "counters/counters.hpp"
#include "message_waits/message_waits.hpp"
#include "mpi/mpi.hpp"
#include "mpi_messages/mpi_messages.hpp"
#include "ops.hpp"
#include "request_table/request_table.hpp"
#include "wrappers/call.hpp"
#include "wrappers/places.hpp"
#include "wrappers/volume.hpp"

namespace commprof::messages {

// Counts messages at one of the two processes: at the sender, or at the origin of a one-sided call.

// The key of a message that is counted now.
[[gnu::always_inline]] inline RecordKey key_of(CommIndex comm, std::uint64_t bytes) {
  return RecordKey::of(comm, state.detail_of(no_op, size_bin(bytes)));
}

// Counts a message to a rank that is not in the cache.
void count_uncached(CommView const& comm, int dest, std::uint64_t bytes);

// Call only while counting is not paused. The size class of the cached record is that of the bytes sent and received
// together. If nothing was received, it is also the size class of the message, and cached.peer can be used.
[[gnu::always_inline]] inline void count(CachedCall& cached, CommOfCall comm, int dest, Volume volume) {
  bool const is_of_size = volume.received == 0;
  if (is_of_size && dest == cached.peer->peer.rank()) [[likely]]
    return cached.peer->add(volume.sent);
  if (dest < 0 || cached.peer->world_rank == WorldRank::unwanted) return;  // no receiver, or not to be counted
  PeerRecord* const record =
      this_thread.shard->peers.recall(key_of(cached.comm->index, volume.sent), Peer::in_comm(dest, MessageClass::p2p));
  if (record == nullptr) [[unlikely]]
    return count_uncached({comm, *cached.comm}, dest, volume.sent);
  if (is_of_size) cached.peer = record;
  record->add(volume.sent);
}

// A persistent send is started.
void count_started(CommIndex comm, PendingRequest const& request);

// Counts a one-sided call on a window of the communicator: data move to the target, from it, or both.
void count_one_sided(CommIndex comm, MPI_Win win, int target, Volume volume);

}  // namespace commprof::messages

namespace commprof {

namespace awaited {

// The numbers of the messages of blocking calls: see message_waits/message_waits.hpp.

void learn(CommOfCall comm, Communicator const& record, int peer);
void span_of_members(Op op, Interval interval, CommIndex comm, int root, std::uint32_t number);
void span_of_blocking(Op op, Interval interval, CommIndex comm, int dest, int tag, std::uint32_t sent,
                      MPI_Status const* status, std::uint32_t taken);
void span_of_poll(Op op, Interval interval, CommOfCall comm, Communicator const& record, int source, int tag);

// Counts the message that a call sends, and returns its number.
[[gnu::always_inline]] inline std::uint32_t send(Call const& call, Op op, GivenComm given, CachedCall const& cached) {
  StreamKey const key = StreamKey::of(Way::out, cached.comm->index, given.dest, given.tag);
  std::uint32_t const number = message_waits::of_process.count(key, call.start(), op);
  if (number == 0) [[unlikely]]
    learn(given.comm, *cached.comm, given.dest);
  return number;
}

// Whether all members of the communicator make the call, and number it alike.
[[gnu::always_inline]] constexpr bool joins_members(Op op) { return calls::waits_for(op) != calls::WaitsFor::nobody; }
// Counts such a call, and returns its number.
[[gnu::always_inline]] inline std::uint32_t join(CommIndex comm, Op op, Ticks at) {
  return message_waits::of_process.count(StreamKey::of_members(comm, calls::joint_of(op)), at, op);
}

// A call with these messages has failed, or found no memory: perhaps after it has sent or received one.
[[gnu::cold]] void failed(MPI_Comm comm, int result, int dest, int tag, bool takes);
[[gnu::cold]] void failed_to_join(Op op, MPI_Comm comm, int result, Ticks at);
inline void failed(Call const&, Op, CountedComm const&) {}
[[gnu::always_inline]] inline void failed(Call const& call, Op op, GivenComm given) {
  if (joins_members(op)) return failed_to_join(op, given.comm, given.result, call.start());
  bool const sends = given.sends && given.tag != GivenComm::no_message;
  bool const posts = given.source_tag != GivenComm::no_message;
  if (!sends && !given.takes && !posts) return;
  failed(given.comm, given.result, sends ? given.dest : GivenComm::nobody, given.tag, given.takes || posts);
}

// Notices that an instant has passed or a window of time has begun. is_added: the call is in its record already.
[[gnu::cold]] void notice(Interval interval, Op op, bool is_added);

// For a call without a message.
[[gnu::always_inline]] inline void pass(Interval interval, Op op, bool is_added) {
  if (message_waits::of_process.may_span(interval)) [[unlikely]]
    notice(interval, op, is_added);
}

// Counts a blocking call that all members of the communicator make.
[[gnu::always_inline]] inline std::uint32_t count_joined(Call const& call, Op op, CommIndex comm, int root) {
  std::uint32_t const number = join(comm, op, call.start());
  if (!calls::waits_for_members(op)) return pass(call.interval(), op, true), number;
  if (message_waits::of_process.may_span(call.interval())) [[unlikely]]
    span_of_members(op, call.interval(), comm, root, number);
  return number;
}

// Counts the messages of a blocking call that has succeeded.
inline void count(Call const& call, Op op, CountedComm const& place, CountedComm const&) {
  if (joins_members(op) && message_waits::of_process.is_on())
    return void(count_joined(call, op, place.index, GivenComm::nobody));
  pass(call.interval(), op, true);
}
[[gnu::always_inline]] inline void count(Call const& call, Op op, GivenComm given, CachedCall const& cached) {
  MessageWaits& waits = message_waits::of_process;
  if (joins_members(op) && waits.is_on()) {
    if (given.root >= 0 && waits.may_span(call.interval())) [[unlikely]]
      learn(given.comm, *cached.comm, given.root);
    std::uint32_t const number = count_joined(call, op, cached.comm->index, given.root);
    // In a pause there may be no record.
    bool const has_data = !calls::is_of_data(op) || (cached.record != nullptr && cached.record->key.bin() != SizeBin{});
    if (calls::aligns_members(op) && cached.comm->has_all_processes && has_data)
      waits.align(cached.comm->index, number, call.interval().end);
    return;
  }
  if (given.seeks) {
    if (waits.may_span(call.interval())) [[unlikely]]
      span_of_poll(op, call.interval(), given.comm, *cached.comm, given.source, given.tag);
    return;
  }
  if ((!given.sends && !given.awaits) || !waits.is_on()) return pass(call.interval(), op, true);
  std::uint32_t const sent = given.sends ? send(call, op, given, cached) : Streams::no_number;
  std::uint32_t taken = Streams::no_number;
  if (given.takes) {
    MPI_Status const& status = *given.status;
    taken =
        waits.count(StreamKey::of(Way::in, cached.comm->index, status.MPI_SOURCE, status.MPI_TAG), call.start(), op);
    if (taken == 0) [[unlikely]]
      learn(given.comm, *cached.comm, status.MPI_SOURCE);
  }
  if (waits.may_span(call.interval())) [[unlikely]]
    span_of_blocking(op, call.interval(), cached.comm->index, given.sends ? given.dest : GivenComm::nobody, given.tag,
                     sent, given.awaits ? given.status : nullptr, taken);
}

}  // namespace awaited

inline GivenComm at_comm(CommOfCall comm, int result) { return {comm, result}; }

namespace counting {

// The key, without size, of a call that is counted now.
inline RecordKey key_of(CommIndex comm, Op op) { return RecordKey::of(comm, state.detail_of_call(op, SizeBin{})); }

// The size of a call on a member that is neither the root of a broadcast nor the last rank of a scan; these count no
// bytes. So a call has one size on all members, except where counts differ.
template <class VolumeRule>
[[gnu::cold, gnu::noinline]] SizeBin size_for_others(CommView const& view, VolumeRule const& rule) {
  Communicator other{};
  other.own_root = Communicator::root_unknown + 1;
  other.letter = view.record.letter;
  other.is_inter = view.is_inter();
  other.size = view.size();
  other.remote_size = view.remote_size();
  return size_bin(rule(CommView{view.handle, other}).total());
}

// With COMMPROF_INTERNAL=1: counts the messages that MPI sent within the call, for the call or for others on the
// communicator.
template <class VolumeRule>
[[gnu::always_inline]] inline void sent_within(CommView const& view, Op op, VolumeRule const& rule) {
  if (this_thread.internal_messages != 0) [[unlikely]]
    mpi_messages::count_sent(view.record.index, op, view.handle, size_for_others(view, rule));
}
[[gnu::always_inline]] inline void sent_meanwhile(CommIndex comm, Op op) {
  if (this_thread.internal_messages != 0) [[unlikely]]
    mpi_messages::count_sent_meanwhile(comm, op);
}

// took: Ticks or an Interval.
template <class Duration>
[[gnu::always_inline]] inline void add(CommIndex comm, Op op, Volume volume, Duration took) {
  sent_meanwhile(comm, op);
  if (Shard* const shard = Shards::mine()) [[likely]]
    shard->add(key_of(comm, op).with(size_bin(volume.total())), op, volume, took);
}
// key: without size.
inline void add(RecordKey key, Volume volume, Ticks took) {
  sent_meanwhile(key.comm(), key.op());
  if (Shard* const shard = Shards::mine()) [[likely]]
    shard->add(key.with(size_bin(volume.total())), volume, took);
}

// Slow paths. They take scalars, not a GivenComm: GCC would build the struct on the stack.
CachedCall* recall_first(Op op, CommOfCall comm, int result);
CachedCall* remember(CachedCall& cached, CommOfCall comm);
// False if the call is not to be counted, or there is no room.
bool add_to_other_record(CachedCall& cached, std::uint16_t kind, Volume volume, Interval interval);
CommIndex index_of_failed(MPI_Comm comm, int result);
void failed(Op op, MPI_Comm comm, int result, Ticks elapsed);
void on_unknown();

// The communicator's record: by a CountedComm, or by the cache entry of a GivenComm. nullptr if there is none, or the
// call on a GivenComm failed.
inline CountedComm const* find(Op, CountedComm const& place) { return place.is_known() ? &place : nullptr; }
[[gnu::always_inline]] inline CachedCall* find(Op op, GivenComm given) {
  Shard* const shard = this_thread.shard;
  if (given.result != MPI_SUCCESS || shard == nullptr) [[unlikely]]
    return recall_first(op, given.comm, given.result);
  CachedCall& cached = shard->caches.calls.at(given.comm.key(), op, this_thread.site);
  if (given.comm.is_of(*cached.comm)) [[likely]]
    return &cached;
  return remember(cached, given.comm);
}
RecordKey remember_key(CachedCall& cached, Op op);
inline RecordKey key_of(CountedComm const& found, Op op) { return key_of_begun(found.index, op); }
[[gnu::always_inline]] inline RecordKey key_of(CachedCall& found, Op op) {
  if (found.place == state.place_of(this_thread.site) && found.record->key.op() == op) [[likely]]
    return found.record->key.without_size();
  return remember_key(found, op);
}
inline CommView view_of(CountedComm const& place, CountedComm const&) {
  return {place.comm, communicators::registry[place.index]};
}
inline CommView view_of(GivenComm given, CachedCall const& found) { return {given.comm, *found.comm}; }

// Handles a call without a record.
inline void lost(Call const&, Op, CountedComm const&) { on_unknown(); }
[[gnu::always_inline]] inline void lost(Call const& call, Op op, GivenComm given) {
  failed(op, given.comm, given.result, call.elapsed());
}
// For a call that may have sent or received a message nevertheless.
template <class Where>
[[gnu::always_inline]] inline void lost_with_messages(Call const& call, Op op, Where where) {
  lost(call, op, where);
  awaited::failed(call, op, where);
}

// Applies the rule only if the call succeeded.
template <class VolumeRule>
Volume volume_of(CountedComm const& place, VolumeRule const& rule) {
  return place.succeeded() ? rule(view_of(place, place)) : Volume{};
}

template <class VolumeRule>
[[gnu::always_inline]] inline void add(Call const& call, Op op, CountedComm const& place, CountedComm const&,
                                       VolumeRule const& rule) {
  if (this_thread.internal_messages != 0) [[unlikely]]
    mpi_messages::count_sent(place.index, op, place.comm, no_size);
  add(place.index, op, volume_of(place, rule), call.interval());
}
template <class VolumeRule>
void add(Call const& call, Op op, Target const& target, CountedComm const&, VolumeRule const& rule) {
  Volume const volume = volume_of(target, rule);
  add(target.index, op, volume, call.interval());
  if (target.succeeded()) messages::count_one_sided(target.index, target.win, target.rank, volume);
}
template <class VolumeRule>
[[gnu::always_inline]] inline void add(Call const& call, Op op, GivenComm given, CachedCall& cached,
                                       VolumeRule const& rule) {
  CommView const view = view_of(given, cached);
  if (given.sends) sent_meanwhile(cached.comm->index, op);
  else sent_within(view, op, rule);
  Volume const volume = rule(view);
  std::uint16_t const kind = RecordKey::kind_of(op, size_bin(volume.total()));
  if (cached.place == state.place_of(this_thread.site) && cached.record->key.kind() == kind) [[likely]]
    cached.record->add(volume, call.interval());
  else if (!add_to_other_record(cached, kind, volume, call.interval())) return;
  if (given.sends) messages::count(cached, given.comm, given.dest, volume);
}

}  // namespace counting

// Counts the call. where: a CountedComm, a Target or a GivenComm. rule(CommView): the Volume of a call that succeeded.
template <class Where, class VolumeRule>
[[gnu::always_inline]] inline void record(Call const& call, Op op, Where where, VolumeRule const& rule) {
  if (auto* const found = counting::find(op, where)) [[likely]] {
    counting::add(call, op, where, *found, rule);
    awaited::count(call, op, where, *found);
  } else counting::lost_with_messages(call, op, where);
}

}  // namespace commprof
