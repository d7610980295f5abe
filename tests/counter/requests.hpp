// Requests and messages: who has them, and what of them is complete.
#pragma once

#include "state.hpp"

namespace counter {

inline void add_message(Comm& comm, int which, int peer, long long bytes) {
  if (peer == MPI_PROC_NULL || state.is_paused != 0) return;
  int const rank = comm.world_ranks[static_cast<std::size_t>(peer)];
  if (rank < 0) return;
  Sum& sum = comm.sums[which][rank];
  ++sum.messages;
  sum.bytes += bytes;
}

inline Request* find(std::uintptr_t handle, void const* variable) {
  auto const found = state.requests.find(handle);
  if (found == state.requests.end()) return nullptr;
  Request *oldest = nullptr, *oldest_of_no_variable = nullptr;
  for (Request& one : found->second) {
    if (one.is_taken) continue;
    if (one.variable == variable && variable != nullptr) return &one;
    if (oldest == nullptr) oldest = &one;
    if (oldest_of_no_variable == nullptr && one.variable == nullptr) oldest_of_no_variable = &one;
  }
  return oldest_of_no_variable != nullptr ? oldest_of_no_variable : oldest;
}
inline void erase(Request const* request) {
  auto const all = state.requests.find(request->handle);
  all->second.remove_if([=](Request const& one) { return &one == request; });
  if (all->second.empty()) state.requests.erase(all);
}
inline void insert(Request const& request) {
  std::list<Request>& all = state.requests[request.handle];
  for (Request& one : all)
    if (one.variable == request.variable) one.variable = nullptr;
  all.push_back(request);
}

inline int started(Request const& request, std::int64_t at) {
  if (request.operation.kind != SEND && request.operation.kind != RECEIVE) return messages::nothing;
  auto const what = request.operation.kind == SEND ? messages::sent : messages::posted;
  return messages::add(what, at, request.comm->index, request.peer, request.tag);
}
inline void issued(Call const& call, Row* row, Volume volume) {
  Operation const& operation = operation_of(call);
  if (*call.requests == MPI_REQUEST_NULL) return;
  bool const receives = operation.kind == RECEIVE || operation.kind == READ;
  Request request{.handle = (std::uintptr_t)*call.requests,
                  .variable = call.requests,
                  .comm = call.on,
                  .row = row,
                  .operation = operation,
                  .volume = volume,
                  .peer = receives ? call.source : call.dest,
                  .tag = call.tag,
                  .receives = receives,
                  .is_active = !operation.is_persistent};
  if (!operation.is_persistent && call.message == nullptr) request.message = started(request, call.entry);
  insert(request);
}

inline void cover(Call const& call) {
  covered.clear();
  for (long long i = 0; i < call.request_count; ++i) {
    MPI_Request const& request = call.requests[i];
    bool const is_null = request == MPI_REQUEST_NULL;
    Request* const found = is_null ? nullptr : find((std::uintptr_t)request, call.is_copy ? nullptr : &request);
    if (found != nullptr) found->is_taken = true;
    covered.push_back({found, is_null});
  }
}

// Counts a call on each communicator of its requests, the one at `only` if that is not negative.
inline void count_on_each(int operation, bool finds_nothing, long long only = -1) {
  std::vector<Comm*> counted;
  for (std::size_t i = 0; i < covered.size(); ++i) {
    if (covered[i].is_null || (only >= 0 && static_cast<long long>(i) != only)) continue;
    Comm* const comm = covered[i].request == nullptr ? &comm_of(MPI_COMM_SELF) : covered[i].request->comm;
    if (std::find(counted.begin(), counted.end(), comm) == counted.end()) counted.push_back(comm);
  }
  if (counted.empty()) counted.push_back(&comm_of(MPI_COMM_SELF));
  for (Comm* const comm : counted) count(*comm, operation, finds_nothing);
}

inline void complete(Request& request, MPI_Status const* status) {
  if (request.is_active && request.receives && request.row != nullptr) {
    if (status == nullptr) ++request.row->unknown;
    else request.row->received += arrived(status, request.may_be_cancelled);
  }
  if (request.receives) messages::arrived(request.message, status);
  request.message = messages::nothing;
  request.is_active = false;
  if (!request.operation.is_persistent) erase(&request);
}

inline int flags_of_wait() { return state.is_paused != 0 ? messages::is_paused : 0; }

// A call has waited for some of the covered requests.
inline void record_wait(Call const& call, std::vector<std::size_t> const& completed, bool ends_with_any) {
  bool is_recorded = false;
  for (std::size_t const i : completed) {
    auto const& [request, is_null] = covered[i];
    if (is_null) continue;
    if (!is_recorded)
      messages::add_call(operation_of(call).name.data(), call.entry, call.exit,
                         flags_of_wait() | (ends_with_any ? messages::ends_with_any : 0));
    is_recorded = true;
    if (request == nullptr) messages::await(messages::unknown, messages::unknown, false);
    else messages::await(request->message, request->comm->index, request->operation.kind == SEND);
  }
}
inline bool is_in_error(MPI_Status const& status, int result) {
  int error_class = MPI_SUCCESS;
  if (result != MPI_SUCCESS) PMPI_Error_class(result, &error_class);
  return error_class != MPI_SUCCESS && (error_class != MPI_ERR_IN_STATUS || status.MPI_ERROR != MPI_SUCCESS);
}
inline void leave_completion(Call const& call, int result) {
  Operation const& operation = operation_of(call);
  MPI_Status* const statuses = *call.statuses;
  bool const knows = statuses != MPI_STATUSES_IGNORE && statuses != MPI_STATUS_IGNORE;
  bool const ends_with_any = call.outcount != nullptr || call.index != nullptr;
  std::vector<std::size_t> completed;
  auto const add = [&](int number, int const* indices) {
    for (int k = 0; k < number; ++k) completed.push_back(static_cast<std::size_t>(indices == nullptr ? k : indices[k]));
  };
  if (call.outcount != nullptr) add(*call.outcount == MPI_UNDEFINED ? 0 : *call.outcount, call.indices);
  else if (call.index != nullptr) add(!call.finds_nothing() && *call.index != MPI_UNDEFINED ? 1 : 0, call.index);
  else if (!call.finds_nothing()) add(static_cast<int>(covered.size()), nullptr);
  bool const finds_nothing = call.finds_nothing() || (call.outcount != nullptr && *call.outcount == 0);
  long long only = operation.kind == ONE_OF ? 0 : -1;
  while (only >= 0 && only + 1 < static_cast<long long>(covered.size()) &&
         covered[static_cast<std::size_t>(only)].is_null)
    ++only;
  if (operation.kind == ONE_OF && !completed.empty()) only = static_cast<long long>(completed[0]);
  count_on_each(call.operation, finds_nothing && result == MPI_SUCCESS, only);
  for (Covered const& one : covered)
    if (one.request != nullptr) one.request->is_taken = false;
  if (operation.name.starts_with("Wait")) record_wait(call, completed, ends_with_any);
  if (operation.name.starts_with("Request_get")) return;
  for (std::size_t k = 0; k < completed.size(); ++k) {
    Request* const request = covered[completed[k]].request;
    if (request == nullptr) continue;
    if (knows && is_in_error(statuses[k], result)) request->receives = false;
    complete(*request, knows ? &statuses[k] : nullptr);
  }
}

// Starts count on each communicator of their requests.
inline void leave_start(Call const& call, int result) {
  count_on_each(call.operation, false);
  for (std::size_t i = 0; i < covered.size(); ++i) {
    Request* const request = covered[i].request;
    if (request == nullptr) continue;
    request->is_taken = false;
    if (result != MPI_SUCCESS) continue;
    // An MPI may change the handle, and the program may start copies.
    Request again = *request;
    again.handle = (std::uintptr_t)call.requests[i];
    again.is_active = true;
    again.row = state.is_paused != 0 ? nullptr : &row_of(*again.comm, call.operation, false);
    if (again.operation.kind == SEND) add_message(*again.comm, to, again.peer, again.volume.sent);
    again.message = started(again, call.entry);
    if (again.row != nullptr) again.row->sent += again.volume.sent, again.row->received += again.volume.received;
    erase(request);
    insert(again);
  }
}
inline void leave_other(Call const& call) {
  Request* const request = covered[0].request;
  Kind const kind = operation_of(call).kind;
  count_on_each(call.operation, call.finds_nothing());
  if (request == nullptr) return;
  request->is_taken = false;
  if (kind == CANCELLATION) request->may_be_cancelled = true;
  if (kind != RELEASE) return;
  if (request->receives && request->is_active && request->row != nullptr) ++state.receives_freed;
  erase(request);
}

// The messages of a blocking call, which it has awaited; a buffered send waits for nobody.
inline void record_messages(Call const& call) {
  auto const& [name, kind, is_nonblocking, is_persistent] = operation_of(call);
  MPI_Status const* const status = call.statuses == nullptr ? MPI_STATUS_IGNORE : *call.statuses;
  int const comm = call.on->index;
  int sent = messages::nothing, arrived = messages::nothing;
  auto const add = [&](messages::What what) {
    arrived = messages::add(what, call.entry, comm, status->MPI_SOURCE, status->MPI_TAG);
  };
  if (kind == SEND || kind == SEND_RECEIVE) sent = messages::add(messages::sent, call.entry, comm, call.dest, call.tag);
  if (kind != SEND && call.message == nullptr && status != MPI_STATUS_IGNORE)
    add(kind == PROBE ? messages::probed : messages::posted);
  if (kind == PROBE && call.message != nullptr && status != MPI_STATUS_IGNORE) add(messages::posted);
  if (call.flag != nullptr || name.starts_with('B') || (call.message != nullptr && kind != PROBE)) return;
  messages::add_call(name.data(), call.entry, call.exit, flags_of_wait());
  if (sent >= 0) messages::await(sent, comm, true);
  if (arrived >= 0) messages::await(arrived, comm, false);
  if (sent < 0 && arrived < 0) messages::await(messages::nothing, comm, false);
}

inline void leave_transfer(Call const& call, int result) {
  auto const& [name, kind, is_nonblocking, is_persistent] = operation_of(call);
  Volume volume = result == MPI_SUCCESS ? volume_of(call, kind) : Volume{};
  Row* const row = count(*call.on, call.operation, call.finds_nothing());
  if (result != MPI_SUCCESS) return;
  if (is_nonblocking && kind == SEND_RECEIVE && call.source != MPI_PROC_NULL)
    volume.received =
        call.in_type == MPI_Datatype{} ? call.count * size_of(call.type) : call.in_count * size_of(call.in_type);
  if (is_nonblocking && kind == WRITE) volume.sent = call.count * size_of(call.type);
  if (!is_persistent && row != nullptr) row->sent += volume.sent, row->received += volume.received;
  if (!is_persistent && (kind == SEND || kind == SEND_RECEIVE)) add_message(*call.on, to, call.dest, volume.sent);
  bool const is_one_sided = kind >= PUT && kind <= FETCH;
  if (is_one_sided && volume.sent > 0) add_message(*call.on, put_to, call.dest, volume.sent);
  if (is_one_sided && volume.received > 0) add_message(*call.on, got_from, call.dest, volume.received);
  if (call.requests != nullptr) return issued(call, row, volume);
  if (!call.finds_nothing() && kind >= SEND && kind <= PROBE) record_messages(call);
  if (row == nullptr || call.statuses == nullptr) return;
  MPI_Status const* const status = *call.statuses;
  bool const knows = status != MPI_STATUS_IGNORE;
  if (kind == RECEIVE || kind == SEND_RECEIVE || kind == READ) {
    if (knows) row->received += arrived(status, false);
    else ++row->unknown;
  }
  if (kind == WRITE) row->sent += knows ? arrived(status, false) : call.count * size_of(call.type);
}

}  // namespace counter
