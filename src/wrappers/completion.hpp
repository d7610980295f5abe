// The Wait and Test family: which requests a call covers, which of them it completed, and on which communicators it counts.
//
// MPI overwrites handles as it completes requests, so they are remembered before the call. After it the call is counted once
// on each communicator that it covers, and its time is divided among them by their number of requests. A call without an
// active request that is known, and one on requests of no communicator, counts on MPI_COMM_SELF: it concerns this process
// alone.
#pragma once

#include "wrappers/call.hpp"

namespace commprof {

// What a call has put out, which a failed one may have had no room for.
inline int value_of(int const* out) { return out == nullptr ? MPI_UNDEFINED : *out; }
inline bool is_set(int const* flag) { return flag != nullptr && *flag != 0; }

namespace completion {

// Counts a receive that has completed, or never will be seen to complete.
inline void count_receive(PendingRequest const& request, std::uint64_t arrived) {
  Volume const volume{request.known.sent, request.known.received + arrived};
  if (Shard* const shard = Shards::mine()) [[likely]]
    shard->add_received(request.key.with(size_bin(volume.total())), volume, request.issue_time);
}

// The request is persistent, or was cancelled, or the call failed. became_null: MPI has taken its handle back.
void complete_otherwise(RequestTable& table, PendingRequest& request, bool became_null, MPI_Status const* status, int result);

// What is known of one request that a call has covered.
struct Covered {
  MPI_Request handle;
  std::uint64_t variable;
  bool became_null;          // MPI has taken the handle back
  MPI_Status const* status;  // nullptr where the call gives none
};

[[gnu::always_inline]] inline CommIndex settle(RequestTable& table, PendingRequest& request, Covered const& covered, int result) {
  CommIndex const comm = request.comm();
  std::uint32_t const unusual = request.traits & (IssuedRequest::persistent | IssuedRequest::cancelled);
  if ((unusual | static_cast<std::uint32_t>(result)) != 0) [[unlikely]] {
    complete_otherwise(table, request, covered.became_null, covered.status, result);
  } else if (covered.became_null) [[likely]] {
    if (request.receives()) count_receive(request, volume::arrived(covered.status));
    table.erase(request);
  }
  return comm;
}
// The same, and look_up(), by single values: what is covered would be put together in memory.
CommIndex settle_among_threads(MPI_Request handle, std::uint64_t variable, bool became_null, MPI_Status const* status, int result);

// A call of that result covered the request, and completed it unless its handle is still there. Returns the request's
// communicator.
// threaded: whether several threads may call MPI at once.
[[gnu::always_inline]] inline CommIndex complete(Covered const& covered, int result, bool threaded = state.threaded) {
  std::uint64_t const handle = handle_bits(covered.handle);
  if (!threaded) [[likely]] {
    PendingRequest* const request = requests::of_process.find(handle, covered.variable);
    return request == nullptr ? CommIndex::self : settle(requests::of_process, *request, covered, result);
  }
  CommIndex comm{};
  auto const settle_own = [&](RequestTable& table, PendingRequest& request) { comm = settle(table, request, covered, result); };
  if (requests::with_own_request(handle, covered.variable, settle_own)) [[likely]] return comm;
  return settle_among_threads(covered.handle, covered.variable, covered.became_null, covered.status, result);
}

CommIndex look_up_among_threads(MPI_Request handle, std::uint64_t variable);
[[gnu::always_inline]] inline CommIndex look_up(MPI_Request handle, std::uint64_t variable) {
  if (state.threaded) [[unlikely]] return look_up_among_threads(handle, variable);
  PendingRequest const* const request = requests::of_process.find(handle_bits(handle), variable);
  return request == nullptr ? CommIndex::self : request->comm();
}

}  // namespace completion

// A call that covers one request.
class CompletionOfOne {
 public:
  explicit CompletionOfOne(RequestsOfCall request) : request_(request), handle_(request ? request[0] : MPI_REQUEST_NULL) {}
  // status: what the program passed; own: what takes its place where that is MPI_STATUS_IGNORE.
  CompletionOfOne(RequestsOfCall request, MPI_Status* status, MPI_Status* own) : CompletionOfOne(request) {
    status_ = status == MPI_STATUS_IGNORE ? own : status;
  }

  // What to pass on in place of the program's.
  MPI_Status* statuses() const { return status_; }

  // Wait, and Test if flag.
  [[gnu::always_inline]] void all(Call const& call, Op op, int result, bool flag = true) {
    CommIndex comm = CommIndex::self;
    if (handle_ != MPI_REQUEST_NULL) [[likely]] {
      bool const became_null = request_.is_null(0);
      // A call that fails may have completed the request and not say so by its flag.
      comm = flag || (result != MPI_SUCCESS && became_null)
                 ? completion::complete({handle_, request_.variable(0), became_null, status_}, result)
                 : completion::look_up(handle_, request_.variable(0));
    }
    call.count(comm, op, {});
  }
  // Request_get_status: completes nothing.
  void none(Call const& call, Op op) { count(op, comm(), call.interval()); }
  // Request_free.
  void released(Call const& call, Op op, int result) { count(op, release(result), call.interval()); }
  // Cancel.
  void cancelled(Call const& call, Op op, int result) { count(op, cancel(result), call.interval()); }

 private:
  CommIndex comm() const;
  CommIndex release(int result);
  CommIndex cancel(int result);
  static void count(Op op, CommIndex comm, Interval interval) {
    Call::count(comm, op, {}, interval);
  }

  RequestsOfCall request_;
  MPI_Request handle_;
  MPI_Status* status_ = nullptr;
};

// A call that covers an array of requests.
class Completion {
 public:
  // statuses: what the program passed, MPI_STATUSES_IGNORE included.
  Completion(int count, RequestsOfCall requests, MPI_Status statuses[]);

  MPI_Status* statuses() const { return statuses_; }

  // Waitall, and Testall if flag.
  void all(Call const& call, Op op, int result, bool flag = true) { all(op, call.interval(), result, flag); }
  // Waitany, and Testany if flag. index: as the call returned it, MPI_UNDEFINED if no request was active.
  void any(Call const& call, Op op, int result, int index, bool flag = true) { any(op, call.interval(), result, index, flag); }
  // Waitsome, Testsome. outcount: MPI_UNDEFINED if no request was active.
  void some(Call const& call, Op op, int result, int outcount, int const indices[]) {
    some(op, call.interval(), result, outcount, indices);
  }

 private:
  static constexpr int inline_room = 8;

  void all(Op op, Interval interval, int result, bool flag);
  template <bool threaded>
  void all(Op op, Interval interval, int result);
  void not_all(Op op, Interval interval, int result);
  void any(Op op, Interval interval, int result, int index, bool flag);
  void some(Op op, Interval interval, int result, int outcount, int const indices[]);

  bool make_room(bool needs_statuses);
  // All three return the communicator of a request, unknown if there is no request.
  CommIndex complete(int index, MPI_Status const* status, int result);
  CommIndex look_up(int index) const;
  bool became_null(int index) const { return requests_.is_null(static_cast<std::size_t>(index)); }
  std::uint64_t variable(int index) const { return requests_.variable(static_cast<std::size_t>(index)); }
  // Takes in the requests of which the call's outcome says nothing.
  void cover_the_rest(int result);
  // Whether a request may have been completed, as far as its handle tells.
  bool may_be_complete(int index);
  // What the indices of a call count from: 1 in Fortran, but for MPIs whose mpi_f08 gives those of C.
  int first_index(int count, int const indices[]);
  void divide(Op op, Interval interval);

  int count_ = 0;
  RequestsOfCall requests_;
  MPI_Request* handles_ = own_handles_;
  CommIndex* comms_ = own_comms_;
  MPI_Status* statuses_ = own_statuses_;
  MPI_Request own_handles_[inline_room];
  CommIndex own_comms_[inline_room];
  MPI_Status own_statuses_[inline_room];
};

}  // namespace commprof
