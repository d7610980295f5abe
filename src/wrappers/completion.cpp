#include "wrappers/completion.hpp"

#include <algorithm>
#include <cstring>

#include "profile/dropped.hpp"

namespace commprof {

namespace {

// The request is not looked up yet, or there is none.
constexpr CommIndex not_covered = CommIndex::unknown;

// Counts a receive that has completed, or never will be seen to complete.
void count_receive(PendingRequest const& request, std::uint64_t bytes) {
  if (request.counted) Call::count(request.comm, request.region, request.op, {0, bytes}, request.issue_time);
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

Completion::Completion(int count, MPI_Request const requests[], MPI_Status statuses[])
    : count_(requests == nullptr || count < 0 ? 0 : count), requests_(requests) {
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
  std::copy_n(requests, count_, handles_);
  std::fill_n(comms_, count_, not_covered);
}

void Completion::complete(int index, MPI_Status const* status, int result) {
  if (handles_[index] == MPI_REQUEST_NULL) return;
  PendingRequest request;
  bool known = false;
  {
    requests::Guard const guard(requests::pending.mutex);
    known = requests::pending.table.remove(handle_bits(handles_[index]), requests::variable_of(requests_ + index), request);
  }
  comms_[index] = known ? request.comm : CommIndex::self;
  if (!known) return;
  // A call on an array says per status which of its requests failed (MPI-4.0 §3.7.5).
  bool const succeeded = result == MPI_SUCCESS || (is_in_status(result) && status->MPI_ERROR == MPI_SUCCESS);
  bool const cancelled = request.cancelled && was_cancelled(status);
  if (request.receives) count_receive(request, succeeded && !cancelled ? volume::arrived(status) : 0);
  else if (cancelled) dropped::count(Dropped::sends_cancelled);
}

void Completion::look_up(int index) {
  if (handles_[index] == MPI_REQUEST_NULL) return;
  requests::Guard const guard(requests::pending.mutex);
  PendingRequest const* const request =
      requests::pending.table.find(handle_bits(handles_[index]), requests::variable_of(requests_ + index));
  comms_[index] = request == nullptr ? CommIndex::self : request->comm;
}

void Completion::all(Call const& call, Op op, int result, bool flag) {
  for (int i = 0; i < count_; ++i) {
    if (flag && became_null(i)) complete(i, statuses_ + i, result);
    else look_up(i);
  }
  divide(call, op);
}

void Completion::any(Call const& call, Op op, int result, int index, bool flag) {
  if (flag && index >= 0 && index < count_ && became_null(index)) complete(index, statuses_, result);
  for (int i = 0; i < count_; ++i)
    if (comms_[i] == not_covered) look_up(i);
  divide(call, op);
}

void Completion::some(Call const& call, Op op, int result, int outcount, int const indices[]) {
  bool const has_outcome = result == MPI_SUCCESS || is_in_status(result);
  for (int k = 0; has_outcome && k < outcount && k < count_; ++k)
    if (indices[k] >= 0 && indices[k] < count_ && became_null(indices[k])) complete(indices[k], statuses_ + k, result);
  for (int i = 0; i < count_; ++i)
    if (comms_[i] == not_covered) look_up(i);
  divide(call, op);
}

void Completion::none(Call const& call, Op op) {
  for (int i = 0; i < count_; ++i) look_up(i);
  divide(call, op);
}

void Completion::released(Call const& call, Op op, int result) {
  if (result == MPI_SUCCESS && count_ == 1) {
    PendingRequest request;
    bool known = false;
    {
      requests::Guard const guard(requests::pending.mutex);
      known = requests::pending.table.remove(handle_bits(handles_[0]), requests::variable_of(requests_), request);
    }
    comms_[0] = known ? request.comm : CommIndex::self;
    if (known && request.receives) {
      count_receive(request, 0);
      dropped::count(Dropped::receives_freed);
    }
  }
  divide(call, op);
}

void Completion::cancelled(Call const& call, Op op, int result) {
  if (count_ == 1) {
    look_up(0);
    requests::Guard const guard(requests::pending.mutex);
    PendingRequest* const request =
        requests::pending.table.find(handle_bits(handles_[0]), requests::variable_of(requests_));
    if (request != nullptr && result == MPI_SUCCESS) request->cancelled = true;
  }
  divide(call, op);
}

void Completion::divide(Call const& call, Op op) {
  if (!state.is_counting()) return;
  RegionIndex const region = state.current_region();
  CommIndex* const end = std::remove(comms_, comms_ + count_, not_covered);
  auto const total = static_cast<std::uint64_t>(end - comms_);
  if (total == 0) return Call::count(CommIndex::self, region, op, {}, call.elapsed());
  if (std::all_of(comms_ + 1, end, [this](CommIndex comm) { return comm == comms_[0]; }))
    return Call::count(comms_[0], region, op, {}, call.elapsed());

  std::sort(comms_, end);
  Ticks rest = call.elapsed();
  std::uint64_t rest_requests = total;
  for (CommIndex const* run = comms_; run != end;) {
    CommIndex const* const next = std::upper_bound<CommIndex const*>(run, end, *run);
    auto const requests = static_cast<std::uint64_t>(next - run);
    // Each share is taken of what is left, so that rounding loses nothing: the shares add up to the whole.
    Ticks const share{static_cast<std::uint64_t>(static_cast<unsigned __int128>(rest.count) * requests / rest_requests)};
    Call::count(*run, region, op, {}, share);
    rest -= share;
    rest_requests -= requests;
    run = next;
  }
}

}  // namespace commprof
