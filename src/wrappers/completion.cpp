#include "wrappers/completion.hpp"

#include <algorithm>
#include <cstring>

#include "profile/dropped.hpp"
#include "wrappers/persistent.hpp"
#include "wrappers/shares.hpp"

namespace commprof {

namespace {

// The request is not looked up yet, or there is none.
constexpr CommIndex not_covered = CommIndex::unknown;

// Counts a receive that has completed, or never will be seen to complete.
void count_receive(PendingRequest const& request, std::uint64_t arrived) {
  Volume const volume{request.known.sent, request.known.received + arrived};
  if (request.counted) Call::count(request.comm, request.region, request.op, volume, request.issue_time);
}

bool was_cancelled(MPI_Status const* status) {
  int cancelled = 0;
  PMPI_Test_cancelled(status, &cancelled);
  return cancelled != 0;
}

bool is_in_status(int result) {
  int error_class = MPI_SUCCESS;
  PMPI_Error_class(result, &error_class);
  return error_class == MPI_ERR_IN_STATUS;
}

}  // namespace

Completion::Completion(int count, RequestsOfCall requests, MPI_Status statuses[])
    : count_(!requests || count < 0 ? 0 : count), requests_(requests) {
  bool const ignored = statuses == MPI_STATUSES_IGNORE || statuses == MPI_STATUS_IGNORE;
  if (!ignored) statuses_ = statuses;
  if (count_ > inline_room) {
    auto const n = static_cast<std::size_t>(count_);
    Shard* const shard = Shards::mine();
    handles_ = shard == nullptr ? nullptr : shard->requests.room<MPI_Request>(2 * n);  // a CommIndex is no larger
    if (ignored && handles_ != nullptr) statuses_ = shard->statuses.room<MPI_Status>(n);
    if (handles_ == nullptr || statuses_ == nullptr) {
      dropped::count(Dropped::requests, n);
      statuses_ = statuses;
      count_ = 0;
      return;
    }
    static_assert(sizeof(CommIndex) <= sizeof(MPI_Request));
    comms_ = reinterpret_cast<CommIndex*>(handles_ + n);
  }
  for (int i = 0; i < count_; ++i) handles_[i] = requests[static_cast<std::size_t>(i)];
  std::fill_n(comms_, count_, not_covered);
}

void Completion::complete(int index, MPI_Status const* status, int result) {
  if (handles_[index] == MPI_REQUEST_NULL) return;
  // A call on an array says per status which of its requests failed (MPI-4.0 §3.7.5).
  bool const succeeded = result == MPI_SUCCESS || (is_in_status(result) && status->MPI_ERROR == MPI_SUCCESS);
  auto const handle = handle_bits(handles_[index]);
  auto const place = variable(index);
  requests::Guard const guard(requests::pending.mutex);
  RequestTable& table = requests::pending.table;
  PendingRequest* const found = table.find(handle, place);
  comms_[index] = found == nullptr ? CommIndex::self : found->comm;
  if (found == nullptr || (!found->persistent && !became_null(index))) return;

  bool const cancelled = found->cancelled && status != nullptr && was_cancelled(status);
  std::uint64_t const arrived = found->receives && succeeded && !cancelled ? volume::arrived(status) : 0;
  if (cancelled && !found->receives) dropped::count(Dropped::sends_cancelled);
  if (found->persistent) {
    found->cancelled = false;
    return complete_started(*found, arrived);
  }
  PendingRequest request;
  table.remove(handle, place, request);
  if (request.receives) count_receive(request, arrived);
}

void Completion::look_up(int index) {
  if (handles_[index] == MPI_REQUEST_NULL) return;
  requests::Guard const guard(requests::pending.mutex);
  PendingRequest const* const request =
      requests::pending.table.find(handle_bits(handles_[index]), variable(index));
  comms_[index] = request == nullptr ? CommIndex::self : request->comm;
}

void Completion::all(Call const& call, Op op, int result, bool flag) {
  for (int i = 0; i < count_; ++i) {
    // A call that fails may have completed requests and not say so by its flag, as MPICH's MPI_Testall.
    if (flag || (result != MPI_SUCCESS && became_null(i))) complete(i, statuses_ + i, result);
    else look_up(i);
  }
  divide(call, op);
}

void Completion::cover_the_rest(int result) {
  for (int i = 0; i < count_; ++i) {
    if (comms_[i] != not_covered) continue;
    // What a failed call has completed beside what it tells of has no status.
    if (result != MPI_SUCCESS && became_null(i)) complete(i, nullptr, MPI_ERR_OTHER);
    else look_up(i);
  }
}

bool Completion::may_be_complete(int index) {
  if (index < 0 || index >= count_ || handles_[index] == MPI_REQUEST_NULL) return false;
  if (became_null(index)) return true;
  requests::Guard const guard(requests::pending.mutex);
  PendingRequest const* const request = requests::pending.table.find(handle_bits(handles_[index]), variable(index));
  return request != nullptr && request->persistent;
}

int Completion::first_index(int count, int const indices[]) {
  if (!requests_.is_fortran()) return 0;
  // MPICH 4.0.2's mpi_f08 hands out indices from 0.
  return std::all_of(indices, indices + count, [this](int index) { return may_be_complete(index - 1); }) ? 1 : 0;
}

void Completion::any(Call const& call, Op op, int result, int index, bool flag) {
  if (flag && result == MPI_SUCCESS && index != MPI_UNDEFINED) index -= first_index(1, &index);
  if (flag && may_be_complete(index)) complete(index, statuses_, result);
  cover_the_rest(result);
  divide(call, op);
}

void Completion::some(Call const& call, Op op, int result, int outcount, int const indices[]) {
  bool const has_outcome = result == MPI_SUCCESS || is_in_status(result);
  int const completed = has_outcome && outcount != MPI_UNDEFINED ? std::min(outcount, count_) : 0;
  int const first = first_index(completed, indices);
  for (int k = 0; k < completed; ++k)
    if (int const index = indices[k] - first; may_be_complete(index)) complete(index, statuses_ + k, result);
  cover_the_rest(result);
  divide(call, op);
}

void Completion::none(Call const& call, Op op) {
  for (int i = 0; i < count_; ++i) look_up(i);
  divide(call, op);
}

void Completion::released(Call const& call, Op op, int result) {
  if (count_ == 1) look_up(0);
  if (count_ == 1 && result == MPI_SUCCESS) {
    PendingRequest request;
    requests::Guard const guard(requests::pending.mutex);
    bool const known = requests::pending.table.remove(handle_bits(handles_[0]), variable(0), request);
    bool const is_active_receive = known && request.receives && (!request.persistent || request.start != 0);
    if (is_active_receive) {
      dropped::count(Dropped::receives_freed);
      if (request.persistent) complete_started(request, 0);
      else count_receive(request, 0);
    }
  }
  divide(call, op);
}

void Completion::cancelled(Call const& call, Op op, int result) {
  if (count_ == 1) {
    look_up(0);
    requests::Guard const guard(requests::pending.mutex);
    PendingRequest* const request =
        requests::pending.table.find(handle_bits(handles_[0]), variable(0));
    if (request != nullptr && result == MPI_SUCCESS) request->cancelled = true;
  }
  divide(call, op);
}

void Completion::divide(Call const& call, Op op) {
  if (!state.is_counting()) return;
  RegionIndex const region = state.current_region();
  CommIndex* const end = std::remove(comms_, comms_ + count_, not_covered);
  if (end == comms_) return Call::count(CommIndex::self, region, op, {}, call.elapsed());
  for_each_share(comms_, end, call.elapsed(), [&](CommIndex comm, std::uint64_t, Ticks share) {
    Call::count(comm, region, op, {}, share);
  });
}

}  // namespace commprof
