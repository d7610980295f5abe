#include "wrappers/call.hpp"

#include "profile/dropped.hpp"

namespace commprof {

thread_local Call const* Call::outermost_ = nullptr;

void Call::count(CommIndex comm, RegionIndex region, Op op, Volume volume, Ticks elapsed) {
  if (Shard* const shard = Shards::mine())
    shard->add(RecordKey::of(comm, region, op, size_bin(volume.total())), volume, elapsed);
}

void Call::count_unknown() { dropped::count(Dropped::unknown_communicator); }

void Call::follow(MPI_Request handle, MPI_Request const* variable, PendingRequest request) const {
  if (handle == MPI_REQUEST_NULL) return;  // MPICH's way to say that it is complete already
  request.handle = handle_bits(handle);
  request.variable = requests::variable_of(variable);
  request.issue_time = elapsed_;
  request.region = state.current_region();
  requests::Guard const guard(requests::pending.mutex);
  if (!requests::pending.table.insert(request)) dropped::count(Dropped::requests);
}

void Call::post_receive(Op op, CommIndex index, int result, MPI_Request const* request) const {
  bool const counting = state.is_counting();
  if (index == CommIndex::unknown) {
    count_unknown();
  } else if (result != MPI_SUCCESS || *request == MPI_REQUEST_NULL) {
    if (counting) count(index, op, {});
  } else {
    follow(*request, request, {.comm = index, .op = op, .receives = true, .counted = counting});
  }
}

void Call::matched(MPI_Comm comm, MPI_Message const* message) const {
  PendingRequest const entry{.handle = handle_bits(*message),
                             .variable = requests::variable_of(message),
                             .comm = communicators::of(comm)};
  requests::Guard const guard(requests::messages.mutex);
  if (!requests::messages.table.insert(entry)) dropped::count(Dropped::requests);
}

CommIndex Call::comm_of_message(MPI_Message handle, MPI_Message const* variable, int result) {
  requests::Guard const guard(requests::messages.mutex);
  PendingRequest entry;
  auto const bits = handle_bits(handle);
  auto const place = requests::variable_of(variable);
  if (result == MPI_SUCCESS) return requests::messages.table.remove(bits, place, entry) ? entry.comm : CommIndex::unknown;
  PendingRequest const* const found = requests::messages.table.find(bits, place);
  return found == nullptr ? CommIndex::unknown : found->comm;
}

void Call::receive_message(Op op, CommIndex index, int result, MPI_Status const* status) const {
  if (index == CommIndex::unknown) count_unknown();
  else if (state.is_counting()) count(index, op, {0, result == MPI_SUCCESS ? volume::arrived(status) : 0});
}

void Call::create(communicators::CreationCall const& creation, MPI_Comm parent, int result, MPI_Comm const* comm,
                  MPI_Request const* request) const {
  CommIndex const index = comm_of(parent, result);
  bool const counting = state.is_counting();
  if (index == CommIndex::unknown) return count_unknown();
  if (counting) count(index, creation.op, {});
  communicators::created(creation, index, parent, result == MPI_SUCCESS ? *comm : MPI_COMM_NULL);
  if (request != nullptr && result == MPI_SUCCESS)
    follow(*request, request, {.comm = index, .op = creation.op, .counted = counting});
}

void Call::release(Op op, CommIndex index) const {
  if (index == CommIndex::unknown) count_unknown();
  else if (state.is_counting()) count(index, op, {});
}

}  // namespace commprof
