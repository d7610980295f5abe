#include "wrappers/counting.hpp"

#include "base/dropped.hpp"

namespace commprof {

namespace counting {

void on_unknown() {
  if (this_thread.site == &within_callback) return;
  if (this_thread.internal_messages != 0) mpi_messages::count_others_sent();
  dropped::count(Dropped::unknown_communicator);
}

CachedCall* recall_first(Op op, CommOfCall comm, int result) {
  Shard* const shard = Shards::mine();
  if (result != MPI_SUCCESS || shard == nullptr) return nullptr;
  return remember(shard->caches.calls.at(comm.key(), op, this_thread.site), comm);
}

CachedCall* remember(CachedCall& cached, CommOfCall comm) {
  CallCache& calls = this_thread.shard->caches.calls;
  MPI_Comm const in_c = comm;
  std::uint64_t const handle = handle_bits(in_c);
  Communicator const* record = calls.shared(handle);
  if (record == nullptr) {
    std::uint32_t const age = CallCache::current_age();
    CommIndex const index = communicators::of(in_c);
    if (index == CommIndex::unknown) return nullptr;
    record = &communicators::registry[index];
    if (record->is_folded) calls.keep_shared(handle, record, age);
    else if (!state.is_threaded() || record->letter != Letter::foreign)
      comm.show_in(communicators::registry[index], in_c);
  }
  if (cached.comm != record) {
    cached = {};
    cached.comm = record;
  }
  return &cached;
}

// Without memory to cache the communicator, calls that succeeded come here, too.
CommIndex index_of_failed(MPI_Comm comm, int result) {
  return result == MPI_SUCCESS ? communicators::of(comm) : communicators::of_doubtful(comm);
}

void failed(Op op, MPI_Comm comm, int result, Ticks elapsed) {
  CommIndex const index = index_of_failed(comm, result);
  if (index == CommIndex::unknown) return on_unknown();
  add(index, op, {}, elapsed);
}

namespace {

void keep(CachedCall& cached, std::uint64_t place, Record* record) {
  cached.place = place;
  cached.record = record;
  cached.peer = state.options.peers ? &no_peer : &unwanted_peer;
}

}  // namespace

bool add_to_other_record(CachedCall& cached, std::uint16_t kind, Volume volume, Interval interval) {
  CommIndex const comm = cached.comm->index;
  auto const [place, base] = state.here();
  Record* const record = this_thread.shard->find_or_insert(RecordKey::of(comm, base | kind));
  if (record == nullptr) return false;
  keep(cached, place, record);
  record->add(volume, interval);
  return true;
}

// Makes the record now, so that the next call of this kind finds its key in the cache. A record that counts nothing
// makes no row.
RecordKey remember_key(CachedCall& cached, Op op) {
  CommIndex const comm = cached.comm->index;
  auto const [place, base] = state.here();
  RecordKey const key = RecordKey::of(comm, base | RecordKey::kind_of(op, SizeBin{}));
  Record* const record = this_thread.shard->find_or_insert(key);
  if (record != nullptr) keep(cached, place, record);
  return key;
}

}  // namespace counting

TakenMessage::TakenMessage(MPI_Message handle, void const* variable)
    : key_(handle == MPI_MESSAGE_NO_PROC ? requests::variable_of(variable) : handle_bits(handle)),
      comm_(matched_messages.take(key_)) {
  if (comm_ == CommIndex::unknown) comm_ = matched_messages.of(handle_bits(handle));
}

CountedComm TakenMessage::at(int result) const {
  if (result != MPI_SUCCESS) matched_messages.add(key_, comm_);
  return {comm_, result};
}

}  // namespace commprof

namespace commprof::messages {

namespace {

// world_rank(): the rank in the world of the process with this rank in the communicator. Communicators that share a
// record have different processes of one rank.
template <class AskWorldRank>
void count_with(CommIndex comm, int rank, MessageClass of, bool is_source, std::uint64_t bytes,
                AskWorldRank&& world_rank) {
  RecordKey const key = key_of(comm, bytes);
  if (!communicators::registry[comm].is_folded)
    return count_message(key, Peer::in_comm(rank, of, is_source), bytes, world_rank);
  WorldRank const in_world = world_rank();
  count_message(key, Peer::in_world(in_world, of, is_source), bytes, [in_world] { return in_world; });
}

}  // namespace

void count_uncached(CommView const& comm, int dest, std::uint64_t bytes) {
  count_with(comm.record.index, dest, MessageClass::p2p, false, bytes,
             [&] { return communicators::world_rank(comm, dest); });
}

void count_started(CommIndex comm, PendingRequest const& request) {
  if (!state.options.peers) return;
  WorldRank const rank = request.destination();
  std::uint64_t const bytes = request.bytes().sent;
  count_message(key_of(comm, bytes), Peer::in_world(rank, MessageClass::p2p), bytes, [rank] { return rank; });
}

void count_one_sided(CommIndex comm, MPI_Win win, int target, Volume volume) {
  if (!state.options.peers || target < 0) return;
  auto const world_rank = [&] { return communicators::world_rank(win, target); };
  if (volume.sent > 0) count_with(comm, target, MessageClass::rma, false, volume.sent, world_rank);
  if (volume.received > 0) count_with(comm, target, MessageClass::rma, true, volume.received, world_rank);
}

}  // namespace commprof::messages
