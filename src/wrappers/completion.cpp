#include "wrappers/completion.hpp"

#include <algorithm>

#include "base/dropped.hpp"
#include "wrappers/awaited.hpp"
#include "wrappers/issuing.hpp"

namespace commprof {

namespace {

bool was_cancelled(MPI_Status const* status) {
  int cancelled = 0;
  PMPI_Test_cancelled(status, &cancelled);
  return cancelled != 0;
}

// Counts what a request stands for, and forgets the request unless it is persistent.
void end(RequestTable& table, PendingRequest& request, std::uint64_t arrived) {
  if (request.is_persistent()) {
    request.traits &= ~IssuedRequest::cancelled;
    return complete_started(request, arrived);
  }
  if (request.receives()) completion::count_receive(request, request.is_seen() ? 0 : arrived);
  table.erase(request);
}

// The bytes of a request that has completed, by its status.
std::uint64_t arrived_for(PendingRequest const& request, MPI_Status const* status) {
  bool const cancelled = request.is_cancelled() && was_cancelled(status);
  if (cancelled && !request.receives() && request.is_counted()) dropped::count(Dropped::sends_cancelled);
  return request.receives() && !cancelled ? arrived_bytes(status) : 0;
}

// Visits the entry of a request. Returns its communicator, or MPI_COMM_SELF if the request is not known.
template <class Visitor>
CommIndex visit(RequestKey key, std::uint64_t variable, Visitor&& visitor) {
  CommIndex comm = CommIndex::self;
  requests::with_request(key, variable, [&](RequestTable& table, PendingRequest& request) {
    comm = request.comm();
    visitor(table, request);
  });
  return comm;
}

}  // namespace

CountedComm at_request(RequestsOfCall request, int result) {
  return {completion::look_up_elsewhere(request.key(0), request.variable(0)), result};
}

void completion::settle_unusual(RequestTable& table, PendingRequest& request, bool became_null,
                                MPI_Status const* status) {
  if (!request.is_persistent() && !became_null) return;
  awaited::end_pending(request);
  bool const was_taken_back = request.is_cancelled() && was_cancelled(status);
  awaited::completed(request, was_taken_back ? nullptr : status);
  end(table, request, arrived_for(request, status));
}

CommIndex completion::settle_elsewhere(RequestKey key, std::uint64_t variable, bool became_null,
                                       MPI_Status const* status) {
  return visit(key, variable, [&](RequestTable& table, PendingRequest& request) {
    settle_unusual(table, request, became_null, status);
  });
}

CommIndex completion::settle_failed(RequestKey key, std::uint64_t variable, bool was_taken_back) {
  return visit(key, variable, [&](RequestTable& table, PendingRequest& request) {
    if (!was_taken_back || request.is_persistent()) return;
    awaited::end_pending(request);
    awaited::lost(request);
    end(table, request, 0);
  });
}

CommIndex completion::look_up_elsewhere(RequestKey key, std::uint64_t variable) {
  return visit(key, variable, [](RequestTable&, PendingRequest&) {});
}

CommIndex completion::see(RequestKey key, std::uint64_t variable, MPI_Status const* status) {
  return visit(key, variable, [&](RequestTable& table, PendingRequest& request) {
    if (request.is_persistent()) return settle_unusual(table, request, false, status);
    if (!request.receives() || request.is_seen()) return;
    awaited::end_pending(request);
    if (request.has_ticket() && !request.is_cancelled()) awaited::completed(request, status);
    request.known.received += arrived_for(request, status);
    request.traits |= IssuedRequest::seen;
  });
}

CommIndex CompletionOfOne::failed() {
  return completion::settle_failed(key_, request_.variable(0), request_.is_taken_back(0));
}

CommIndex CompletionOfOne::see() {
  return key_ == request_.null_key() ? CommIndex::self : completion::see(key_, request_.variable(0), status_);
}

CommIndex CompletionOfOne::comm() const {
  return key_ == request_.null_key() ? CommIndex::self : completion::look_up(key_, request_.variable(0));
}

CommIndex CompletionOfOne::release(int result) {
  if (key_ == request_.null_key()) return CommIndex::self;
  return visit(key_, request_.variable(0), [&](RequestTable& table, PendingRequest& request) {
    if (result != MPI_SUCCESS) return;
    awaited::end_pending(request);
    awaited::lost(request);
    if (request.receives() && (!request.is_persistent() || request.start() != 0)) {
      if (request.is_counted() && !request.is_seen()) dropped::count(Dropped::receives_freed);
      if (request.is_persistent()) complete_started(request, 0);
      else completion::count_receive(request, 0);
    }
    table.erase(request);
  });
}

CommIndex CompletionOfOne::cancel(int result) {
  if (key_ == request_.null_key()) return CommIndex::self;
  return visit(key_, request_.variable(0), [&](RequestTable&, PendingRequest& request) {
    if (result == MPI_SUCCESS) request.traits |= IssuedRequest::cancelled;
  });
}

template <bool in_fortran>
void Completion<in_fortran>::give_up() {
  dropped::count(Dropped::requests, static_cast<std::uint64_t>(count_));
  count_ = 0;
}

// A receive for which asking fails counts as known: MPI_Testall returns the error.
template <bool in_fortran>
bool Completion<in_fortran>::see_receives() {
  bool are_all_seen = true;
  for (int i = 0; i < count_; ++i) {
    statuses_[i] = {};
    statuses_[i].MPI_SOURCE = MPI_ANY_SOURCE;
    statuses_[i].MPI_TAG = MPI_ANY_TAG;
    bool is_awaited = false;
    requests::with_request(keys_[i], variable(i), [&](RequestTable&, PendingRequest const& request) {
      is_awaited = request.is_persistent() ? request.start() != 0 : request.receives() && !request.is_seen();
    });
    MPI_Status status{};
    int flag = 0;
    if (!is_awaited || PMPI_Request_get_status(handle(i), &flag, &status) != MPI_SUCCESS) continue;
    are_all_seen = are_all_seen && flag != 0;
    if (flag == 0) continue;
    if (status.MPI_ERROR != MPI_SUCCESS) status = {};  // truncated: counts no bytes
    completion::see(keys_[i], variable(i), &status);
  }
  return are_all_seen;
}

template <bool in_fortran>
void Completion<in_fortran>::say_not_all(Call& call, int* flag) {
  if (flag != nullptr) *flag = 0;
  call.stop();
  call.polled(false);
  all(call, Op::Testall_none, MPI_SUCCESS, false);
}

template <bool in_fortran>
CommIndex Completion<in_fortran>::complete(int index, MPI_Status const* status) {
  if (keys_[index] == requests().null_key()) return not_covered;
  return completion::complete({keys_[index], variable(index), became_null(index), status});
}

template <bool in_fortran>
CommIndex Completion<in_fortran>::look_up(int index) const {
  return keys_[index] == requests().null_key() ? not_covered : completion::look_up(keys_[index], variable(index));
}

template <bool in_fortran>
void Completion<in_fortran>::all_divided(Op op, Interval interval, CommIndex before, CommIndex other,
                                         int first_of_other) {
  for (int i = 0; i < first_of_other; ++i) comms_[i] = keys_[i] == requests().null_key() ? not_covered : before;
  comms_[first_of_other] = other;
  for (int i = first_of_other + 1; i < count_; ++i) comms_[i] = complete(i, statuses_ + i);
  divide(op, interval);
}

template <bool in_fortran>
void Completion<in_fortran>::not_all(Op op, Interval interval) {
  keep_span(op, interval, count_, nullptr, 0);
  seen_all(op, interval);
}

template <bool in_fortran>
void Completion<in_fortran>::failed(Op op, Interval interval, bool of_all) {
  CommIndex first = not_covered;
  for (int i = 0; i < count_; ++i) {
    bool const is_none = keys_[i] == requests().null_key();
    comms_[i] = is_none ? not_covered
                        : completion::settle_failed(keys_[i], variable(i),
                                                    requests().is_taken_back(static_cast<std::size_t>(i)));
    if (first == not_covered) first = comms_[i];
  }
  if (of_all) return divide(op, interval);
  counting::add(first == not_covered ? CommIndex::self : first, op, {}, interval);
}

template <bool in_fortran>
void Completion<in_fortran>::add_once(Op op, Interval interval, CommIndex of_completed) {
  CommIndex comm = of_completed;
  for (int i = 0; i < count_ && comm == not_covered; ++i) comm = look_up(i);
  counting::add(comm == not_covered ? CommIndex::self : comm, op, {}, interval);
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
void Completion<in_fortran>::any(Op op, Interval interval, int index, bool flag) {
  if (!flag) {
    keep_span(op, interval, count_, nullptr, 0, true);
  } else if (index != MPI_UNDEFINED) {
    index -= first_index(1, &index);
    keep_span(op, interval, 1, &index, 0);
  }
  add_once(op, interval, flag && may_be_complete(index) ? complete(index, statuses_) : not_covered);
}

template <bool in_fortran>
void Completion<in_fortran>::some(Op op, Interval interval, int outcount, int const indices[]) {
  int const completed = outcount != MPI_UNDEFINED ? std::min(outcount, count_) : 0;
  int const first = first_index(completed, indices);
  if (completed > 0) keep_span(op, interval, completed, indices, first);
  else if (outcount == 0) keep_span(op, interval, count_, nullptr, 0, true);
  CommIndex first_completed = not_covered;
  for (int k = 0; k < completed; ++k) {
    int const index = indices[k] - first;
    if (!may_be_complete(index)) continue;
    CommIndex const comm = complete(index, statuses_ + k);
    if (first_completed == not_covered) first_completed = comm;
  }
  add_once(op, interval, first_completed);
}

template <bool in_fortran>
void Completion<in_fortran>::seen_all(Op op, Interval interval) {
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

// Completions in which an instant lies: keeps the messages that they have awaited.

CommIndex CompletionOfOne::spanning(Op op, Interval interval, bool flag) {
  std::uint64_t const variable = request_.variable(0);
  if (awaited::may_wait(op)) {
    awaited::Collector collector(op, interval, false);
    collector.add(key_, variable);
    collector.keep();
  }
  awaited::notice(interval, op, false);
  if (!flag) return completion::look_up(key_, variable);
  return completion::complete({key_, variable, request_.is_null(0), status_});
}

template <bool in_fortran>
void Completion<in_fortran>::keep_span(Op op, Interval interval, int count, int const indices[], int first,
                                       bool of_any) {
  if (!message_waits::of_process.may_span(interval)) return;
  if (awaited::may_wait(op)) {
    awaited::Collector collector(op, interval, of_any || indices != nullptr, static_cast<std::size_t>(count));
    for (int k = 0; k < count; ++k) {
      int const index = indices == nullptr ? k : indices[k] - first;
      if (index < 0 || index >= count_ || keys_[index] == requests().null_key()) continue;
      if (indices == nullptr || may_be_complete(index)) collector.add(keys_[index], variable(index));
    }
    collector.keep();
  }
  awaited::notice(interval, op, false);
}

template <bool in_fortran>
void Completion<in_fortran>::spanning_all(Op op, Interval interval) {
  keep_span(op, interval, count_, nullptr, 0);
  if (state.is_threaded()) all<true>(op, interval);
  else all<false>(op, interval);
}

template class Completion<false>;
template class Completion<true>;

}  // namespace commprof
