#include "wrappers/call.hpp"

#include "profile/dropped.hpp"

namespace commprof {

thread_local Call const* Call::outermost_ = nullptr;

void Call::count(CommIndex comm, RegionIndex region, Op op, Volume volume, Ticks elapsed) {
  if (Shard* const shard = Shards::mine())
    shard->add(RecordKey::of(comm, region, op, size_bin(volume.total())), volume, elapsed);
}

void Call::count_unknown() { dropped::count(Dropped::unknown_communicator); }

void Call::follow(RequestsOfCall issued, PendingRequest request) const {
  if (issued.is_null(0)) return;  // MPICH's way to say that it is complete already
  request.handle = handle_bits(issued[0]);
  request.variable = issued.variable(0);
  request.issue_time = elapsed_;
  request.region = state.current_region();
  requests::Guard const guard(requests::pending.mutex);
  if (!requests::pending.table.insert(request)) dropped::count(Dropped::requests);
}

void Call::matched(MPI_Comm comm, MPI_Message message, void const* variable) const {
  PendingRequest const entry{.handle = handle_bits(message),
                             .variable = requests::variable_of(variable),
                             .comm = communicators::of(comm)};
  requests::Guard const guard(requests::messages.mutex);
  if (!requests::messages.table.insert(entry)) dropped::count(Dropped::requests);
}

Place at_message(MPI_Message handle, void const* variable, int result) {
  requests::Guard const guard(requests::messages.mutex);
  PendingRequest entry;
  auto const bits = handle_bits(handle);
  auto const place = requests::variable_of(variable);
  if (result == MPI_SUCCESS) requests::messages.table.remove(bits, place, entry);
  else if (PendingRequest const* const found = requests::messages.table.find(bits, place)) entry = *found;
  return {MPI_COMM_NULL, entry.comm};
}

Place at_request(RequestsOfCall request) {
  requests::Guard const guard(requests::pending.mutex);
  PendingRequest const* const entry = requests::pending.table.find(handle_bits(request[0]), request.variable(0));
  return {MPI_COMM_NULL, entry == nullptr ? CommIndex::self : entry->comm};
}

void Call::create(communicators::CreationCall const& creation, Place parent, int result, MPI_Comm const* comm,
                  RequestsOfCall request) const {
  record(creation.op, parent, result, volume::none);
  if (parent.index == CommIndex::unknown) return;
  communicators::created(creation, parent.index, parent.comm, result == MPI_SUCCESS ? *comm : MPI_COMM_NULL);
  if (request && result == MPI_SUCCESS)
    follow(request, {.comm = parent.index, .op = creation.op, .counted = state.is_counting()});
}

}  // namespace commprof
