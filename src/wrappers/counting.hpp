// Counts a call: record() looks up the communicator of the call and adds to the record of communicator, scope,
// operation and size class.
//
// The communicator is given as a CountedComm, a Target or a GivenComm. Each has the result of the call: a failed call
// moved no data, and its handle may be invalid.
//
// A call on a GivenComm takes the fast path: the CallCache has the record in which the operation counted last on this
// handle. So a call like the one before costs a few comparisons and additions.
#pragma once

#include "comm_naming/comm_naming.hpp"
#include "counters/counters.hpp"
#include "mpi_messages/mpi_messages.hpp"
#include "ops.hpp"
#include "waits/samples.hpp"
#include "wrappers/call.hpp"
#include "wrappers/given_comm.hpp"
#include "wrappers/message_numbers.hpp"
#include "wrappers/messages.hpp"
#include "wrappers/places.hpp"
#include "wrappers/volume.hpp"

namespace commprof {

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
void find_sampler(CachedCall& cached, Op op);
void pass_sampler(Communicator const& comm, Op op);
CommIndex index_of_failed(MPI_Comm comm, int result);
void failed(Op op, MPI_Comm comm, int result, Ticks elapsed, bool is_sampled);
void on_unknown();

// The communicator's record: by a CountedComm, or by the cache entry of a GivenComm. nullptr if there is none, or the
// call on a GivenComm failed.
inline CountedComm const* find(Op, CountedComm const& place) { return place.is_known() ? &place : nullptr; }
[[gnu::always_inline]] inline CachedCall* find(Op op, GivenComm given) {
  PlaceCaches* const caches = this_thread.valid_caches();
  if (given.result != MPI_SUCCESS || caches == nullptr) [[unlikely]]
    return recall_first(op, given.comm, given.result);
  CachedCall& cached = caches->calls.at(given.comm.key(), op, this_thread.site);
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
  failed(op, given.comm, given.result, call.elapsed(), given.is_sampled);
}
// For a call that may have sent or received a message nevertheless.
template <class Where>
[[gnu::always_inline]] inline void lost_with_messages(Call const& call, Op op, Where where) {
  lost(call, op, where);
  awaited::failed(where);
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
  if (target.succeeded()) messages::count_one_sided(target.index, op, target.win, target.rank, volume);
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
  else if (!add_to_other_record(cached, kind, volume, call.interval()))
    return given.is_sampled ? pass_sampler(*cached.comm, op) : void();
  else if (given.is_sampled) find_sampler(cached, op);
  if (given.is_sampled) cached.sampler->count(call.interval());
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
