// Counts messages where they are known: at the process that sends, or at the origin of a one-sided call.
#pragma once

#include "comm_naming/communicators.hpp"
#include "profile/counters.hpp"
#include "profile/state.hpp"
#include "request_table/request_table.hpp"

namespace commprof::messages {

// The key of a message that counts now.
inline RecordKey key_of(CommIndex comm, std::uint64_t bytes) { return RecordKey::of(comm, state.detail_of(no_op, size_bin(bytes))); }

// A message to a rank that was not sent to lately.
void count_anew(CommView const& comm, int dest, std::uint64_t bytes);

// While counting is not paused.
[[gnu::always_inline]] inline void count(CommView const& comm, int dest, std::uint64_t bytes) {
  if (!state.options.peers) return;
  PeerRecord* const record =
      this_thread.shard->peers.recall(key_of(comm.record.index, bytes), Peer::in_comm(dest, MessageClass::p2p));
  if (record != nullptr) [[likely]] record->add(bytes);
  else count_anew(comm, dest, bytes);
}

// A persistent send is started.
void count_started(CommIndex comm, PendingRequest const& request);

// A one-sided call on a window of that communicator moves data to its target, from it, or both.
void count_one_sided(CommIndex comm, MPI_Win win, int target, Volume volume);

}  // namespace commprof::messages
