#include "wrappers/call.hpp"

#include "base/dropped.hpp"

namespace commprof {

void Call::count_unknown() {
  if (this_thread.internal_messages != 0) mpi_messages::count_others_sent();
  dropped::count(Dropped::unknown_communicator);
}

CachedCall* Call::recall_first(Op op, CommOfCall comm, int result) {
  Shard* const shard = Shards::mine();
  if (result != MPI_SUCCESS || shard == nullptr) return nullptr;
  return remember(shard->calls.at(comm.key(), op), comm);
}

CachedCall* Call::remember(CachedCall& cached, CommOfCall comm) {
  CallCache& calls = this_thread.shard->calls;
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
  if (cached.comm != record) cached = {.comm = record};
  return &cached;
}

// Where there is no memory for what is remembered, the call may still have succeeded.
CommIndex Call::index_of_failed(MPI_Comm comm, int result) {
  return result == MPI_SUCCESS ? communicators::of(comm) : communicators::of_doubtful(comm);
}

void Call::count_failed(Op op, MPI_Comm comm, int result, Ticks elapsed) {
  CommIndex const index = index_of_failed(comm, result);
  if (index == CommIndex::unknown) count_unknown();
  else count(index, op, {}, elapsed);
}

bool Call::count_anew(CachedCall& cached, std::uint32_t detail, Volume volume, Interval interval) {
  Record* const record = this_thread.shard->find_or_insert(RecordKey::of(cached.comm->index, detail));
  if (record == nullptr) return false;
  cached.record = record;
  cached.detail = detail;
  cached.dest = CachedCall::no_dest;
  record->add(volume, interval);
  return true;
}

void Call::matched(MPI_Comm comm, MPI_Message message, void const* variable) const {
  IssuedRequest const matched{.key = RecordKey::of(communicators::of(comm), 0)};
  Guard const guard(requests::messages.mutex);
  if (!requests::messages.table.insert(handle_bits(message), requests::variable_of(variable), matched))
    dropped::count(Dropped::requests);
}

Place at_message(MPI_Message handle, void const* variable, int result) {
  Guard const guard(requests::messages.mutex);
  PendingRequest entry;
  entry.key = RecordKey::of(CommIndex::unknown, 0);
  auto const bits = handle_bits(handle);
  auto const place = requests::variable_of(variable);
  if (result == MPI_SUCCESS) requests::messages.table.remove(bits, place, entry);
  else if (PendingRequest const* const found = requests::messages.table.find(bits, place)) entry = *found;
  return {MPI_COMM_NULL, entry.comm()};
}

Place at_request(RequestsOfCall request) {
  CommIndex comm = CommIndex::self;
  requests::with_request(request.key(0), request.variable(0),
                         [&](RequestTable&, PendingRequest& entry) { comm = entry.comm(); });
  return {MPI_COMM_NULL, comm};
}

[[gnu::hot]] void Call::create(communicators::CreationCall const& creation, Place parent, int result, MPI_Comm const* comm,
                  RequestsOfCall request) const {
  bool const follows_internal = state.options.internal && result == MPI_SUCCESS;
  if (follows_internal && request && parent.index != CommIndex::unknown)
    mpi_messages::issued(parent.comm, parent.index, creation.op, true);
  record(creation.op, parent, result, volume::none);
  if (parent.index == CommIndex::unknown && result != MPI_SUCCESS) return;
  communicators::created(creation, parent.index, parent.comm, result == MPI_SUCCESS ? *comm : MPI_COMM_NULL);
  if (follows_internal && *comm != MPI_COMM_NULL) mpi_messages::created(*comm);
  // Naming a communicator may have taken messages of our own.
  if (this_thread.internal_messages != 0) mpi_messages::count_others_sent();
  if (request && result == MPI_SUCCESS && parent.index != CommIndex::unknown)
    follow(request, {.key = key_of(parent.index, creation.op)});
}

}  // namespace commprof
