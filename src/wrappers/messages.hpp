// Counts messages at one of the two processes: at the sender, or at the origin of a one-sided call.
#pragma once

#include "comm_naming/comm_naming.hpp"
#include "counters/counters.hpp"
#include "request_table/request_table.hpp"

namespace commprof::messages {

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
void count_one_sided(CommIndex comm, Op op, MPI_Win win, int target, Volume volume);

}  // namespace commprof::messages
