#include "wrappers/completion.hpp"

#include <algorithm>
#include <cstring>

#include "base/dropped.hpp"
#include "wrappers/persistent.hpp"
#include "wrappers/shares.hpp"

namespace commprof {

namespace {

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

void completion::complete_otherwise(RequestTable& table, PendingRequest& request, bool became_null,
                                    MPI_Status const* status, int result) {
  if (!request.is_persistent() && !became_null) return;
  // A call on an array says per status which of its requests failed (MPI-4.0 §3.7.5).
  bool const succeeded = result == MPI_SUCCESS || (is_in_status(result) && status->MPI_ERROR == MPI_SUCCESS);
  bool const cancelled = request.is_cancelled() && status != nullptr && was_cancelled(status);
  std::uint64_t const arrived = request.receives() && succeeded && !cancelled ? volume::arrived(status) : 0;
  if (cancelled && !request.receives() && request.is_counted()) dropped::count(Dropped::sends_cancelled);
  if (request.is_persistent()) {
    request.traits &= ~IssuedRequest::cancelled;
    return complete_started(request, arrived);
  }
  if (request.receives()) count_receive(request, arrived);
  table.erase(request);
}

CommIndex completion::settle_elsewhere(RequestKey key, std::uint64_t variable, bool became_null,
                                       MPI_Status const* status, int result) {
  CommIndex comm = CommIndex::self;
  requests::with_request(key, variable, [&](RequestTable& table, PendingRequest& request) {
    comm = request.comm();
    complete_otherwise(table, request, became_null, status, result);
  });
  return comm;
}

CommIndex completion::look_up_elsewhere(RequestKey key, std::uint64_t variable) {
  CommIndex comm = CommIndex::self;
  requests::with_request(key, variable, [&](RequestTable&, PendingRequest& request) { comm = request.comm(); });
  return comm;
}

CommIndex completion::see(RequestKey key, std::uint64_t variable, MPI_Status const* status) {
  CommIndex comm = CommIndex::self;
  requests::with_request(key, variable, [&](RequestTable& table, PendingRequest& request) {
    comm = request.comm();
    if (request.is_persistent()) complete_otherwise(table, request, false, status, MPI_SUCCESS);
  });
  return comm;
}

CommIndex CompletionOfOne::see() {
  return key_ == request_.null_key() ? CommIndex::self : completion::see(key_, request_.variable(0), status_);
}

CommIndex CompletionOfOne::comm() const {
  return key_ == request_.null_key() ? CommIndex::self : completion::look_up(key_, request_.variable(0));
}

CommIndex CompletionOfOne::release(int result) {
  CommIndex comm = CommIndex::self;
  if (key_ == request_.null_key()) return comm;
  requests::with_request(key_, request_.variable(0), [&](RequestTable& table, PendingRequest& request) {
    comm = request.comm();
    if (result != MPI_SUCCESS) return;
    if (request.receives() && (!request.is_persistent() || request.start() != 0)) {
      if (request.is_counted()) dropped::count(Dropped::receives_freed);
      if (request.is_persistent()) complete_started(request, 0);
      else completion::count_receive(request, 0);
    }
    table.erase(request);
  });
  return comm;
}

CommIndex CompletionOfOne::cancel(int result) {
  CommIndex comm = CommIndex::self;
  if (key_ == request_.null_key()) return comm;
  requests::with_request(key_, request_.variable(0), [&](RequestTable&, PendingRequest& request) {
    comm = request.comm();
    if (result == MPI_SUCCESS) request.traits |= IssuedRequest::cancelled;
  });
  return comm;
}

template <bool in_fortran>
void Completion<in_fortran>::give_up() {
  dropped::count(Dropped::requests, static_cast<std::uint64_t>(count_));
  count_ = 0;
}

namespace {

// A call was left while MPI had it: completes the requests that MPI has taken back. The program's requests may be gone,
// and so may its statuses. has_statuses: the call has a status for each request.
template <bool in_fortran>
void settle_left(CallMemory const& left, bool has_statuses) {
  using Handle = std::conditional_t<in_fortran, MPI_Fint, MPI_Request>;
  constexpr std::size_t most = 16;
  auto const* const own_statuses = left.as<MPI_Status>();
  auto const* const keys = reinterpret_cast<RequestKey const*>(own_statuses + left.count);
  for (std::size_t first = 0; first < left.count; first += most) {
    std::size_t const n = std::min(most, left.count - first);
    Handle handles[most];
    MPI_Status statuses[most];
    if (!call_memory::copy_if_there(handles, static_cast<Handle const*>(left.given) + first, n * sizeof(Handle)))
      return;
    bool const knows_statuses = has_statuses && left.statuses != nullptr &&
                                call_memory::copy_if_there(statuses, left.statuses + first, n * sizeof(MPI_Status));
    RequestsOfCall const now = RequestsOfCall::known(handles, in_fortran);
    RequestsOfCall const given = RequestsOfCall::known(left.given, in_fortran);
    for (std::size_t i = 0; i < n; ++i) {
      if (keys[first + i] == given.null_key() || !now.is_null(i)) continue;
      completion::complete({keys[first + i], given.variable(first + i), true, knows_statuses ? statuses + i : nullptr},
                           knows_statuses ? MPI_ERR_IN_STATUS : MPI_ERR_OTHER);
    }
  }
}

}  // namespace

template <bool in_fortran>
void Completion<in_fortran>::settle_each(CallMemory& left) {
  settle_left<in_fortran>(left, true);
}
template <bool in_fortran>
void Completion<in_fortran>::settle_unreported(CallMemory& left) {
  settle_left<in_fortran>(left, false);
}

template <bool in_fortran>
CommIndex Completion<in_fortran>::complete(int index, MPI_Status const* status, int result) {
  if (keys_[index] == requests().null_key()) return not_covered;
  return completion::complete({keys_[index], variable(index), became_null(index), status}, result);
}

template <bool in_fortran>
CommIndex Completion<in_fortran>::look_up(int index) const {
  return keys_[index] == requests().null_key() ? not_covered : completion::look_up(keys_[index], variable(index));
}

template <bool in_fortran>
void Completion<in_fortran>::all_divided(Op op, Interval interval, int result, CommIndex before, CommIndex other,
                                         int first_of_other) {
  for (int i = 0; i < first_of_other; ++i) comms_[i] = keys_[i] == requests().null_key() ? not_covered : before;
  comms_[first_of_other] = other;
  for (int i = first_of_other + 1; i < count_; ++i) comms_[i] = complete(i, statuses_ + i, result);
  divide(op, interval);
}

// A call that fails may have completed requests although its flag is false, as MPICH's MPI_Testall does.
template <bool in_fortran>
void Completion<in_fortran>::not_all(Op op, Interval interval, int result) {
  for (int i = 0; i < count_; ++i)
    comms_[i] = result != MPI_SUCCESS && became_null(i) ? complete(i, statuses_ + i, result) : look_up(i);
  divide(op, interval);
}

template <bool in_fortran>
void Completion<in_fortran>::failed(Op op, Interval interval, int result) {
  std::fill_n(comms_, count_, not_covered);
  cover_the_rest(result);
  divide(op, interval);
}

template <bool in_fortran>
void Completion<in_fortran>::cover_the_rest(int result) {
  for (int i = 0; i < count_; ++i) {
    if (comms_[i] != not_covered || keys_[i] == requests().null_key()) continue;
    // A failed call may complete requests that it does not report. They have no status.
    bool const was_completed = result != MPI_SUCCESS && requests().is_taken_back(static_cast<std::size_t>(i), result);
    comms_[i] =
        was_completed ? completion::complete({keys_[i], variable(i), true, nullptr}, MPI_ERR_OTHER) : look_up(i);
  }
}

template <bool in_fortran>
bool Completion<in_fortran>::may_be_complete(int index) {
  if (index < 0 || index >= count_ || keys_[index] == requests().null_key()) return false;
  if (became_null(index)) return true;
  bool is_persistent = false;
  requests::with_request(keys_[index], variable(index),
                         [&](RequestTable&, PendingRequest& request) { is_persistent = request.is_persistent(); });
  return is_persistent;
}

template <bool in_fortran>
int Completion<in_fortran>::first_index(int count, int const indices[]) {
  if (!in_fortran) return 0;
  // MPICH 4.0.2's mpi_f08 hands out indices from 0.
  return std::all_of(indices, indices + count, [this](int index) { return may_be_complete(index - 1); }) ? 1 : 0;
}

template <bool in_fortran>
void Completion<in_fortran>::any(Op op, Interval interval, int result, int index, bool flag) {
  if (flag && result == MPI_SUCCESS && index != MPI_UNDEFINED) index -= first_index(1, &index);
  std::fill_n(comms_, count_, not_covered);
  if (flag && may_be_complete(index)) comms_[index] = complete(index, statuses_, result);
  cover_the_rest(result);
  divide(op, interval);
}

template <bool in_fortran>
void Completion<in_fortran>::some(Op op, Interval interval, int result, int outcount, int const indices[]) {
  bool const has_outcome = result == MPI_SUCCESS || is_in_status(result);
  int const completed = has_outcome && outcount != MPI_UNDEFINED ? std::min(outcount, count_) : 0;
  int const first = first_index(completed, indices);
  std::fill_n(comms_, count_, not_covered);
  for (int k = 0; k < completed; ++k)
    if (int const index = indices[k] - first; may_be_complete(index))
      comms_[index] = complete(index, statuses_ + k, result);
  cover_the_rest(result);
  divide(op, interval);
}

template <bool in_fortran>
void Completion<in_fortran>::seen_all(Op op, Interval interval, int result, bool flag) {
  bool const are_complete = flag && result == MPI_SUCCESS;
  for (int i = 0; i < count_; ++i) {
    if (are_complete && keys_[i] != requests().null_key()) completion::see(keys_[i], variable(i), statuses_ + i);
    comms_[i] = look_up(i);
  }
  divide(op, interval);
}

template <bool in_fortran>
void Completion<in_fortran>::seen_some(Op op, Interval interval, int result, int outcount, int const indices[]) {
  int const complete = result == MPI_SUCCESS && outcount != MPI_UNDEFINED ? std::min(outcount, count_) : 0;
  int const first = first_index(complete, indices);
  for (int k = 0; k < complete; ++k)
    if (int const index = indices[k] - first; may_be_complete(index))
      completion::see(keys_[index], variable(index), statuses_ + k);
  for (int i = 0; i < count_; ++i) comms_[i] = look_up(i);
  divide(op, interval);
}

template <bool in_fortran>
void Completion<in_fortran>::divide(Op op, Interval interval) {
  CommIndex* const end = std::remove(comms_, comms_ + count_, not_covered);
  if (end == comms_) return counting::add(CommIndex::self, op, {}, interval);
  for_each_share(comms_, end, interval.elapsed, [&](CommIndex const* comm, CommIndex const*, Ticks share) {
    counting::add(*comm, op, {}, Interval{share, interval.end});
  });
}

template class Completion<false>;
template class Completion<true>;

}  // namespace commprof
