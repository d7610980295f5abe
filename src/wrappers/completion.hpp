// The Wait and Test family: which requests a call covers, which of them it completed, and the communicators that it
// counts on.
//
// MPI overwrites handles as it completes requests, so their keys are copied before the call. After the call, Waitall
// and Testall count once on each communicator of their requests, and their time is divided among them by their number
// of requests. Waitany, Waitsome and their relatives count once, on the communicator of the first request that they
// have completed; if they have completed none, on that of their first request. An inactive persistent request counts on
// its communicator. A request that the table does not know counts on MPI_COMM_SELF; so does a call whose requests are
// all MPI_REQUEST_NULL.
#pragma once

#include "message_waits/message_waits.hpp"
#include "mpi/library_version.hpp"
#include "wrappers/awaited.hpp"
#include "wrappers/counting.hpp"

namespace commprof {

// An output argument of a call. The pointer may be null if the call failed.
inline int value_of(int const* out) { return out == nullptr ? MPI_UNDEFINED : *out; }
inline bool is_set(int const* flag) { return flag != nullptr && *flag != 0; }

namespace completion {

// Counts a receive that has completed, or that the program has freed before its completion.
[[gnu::always_inline]] inline void count_receive(PendingRequest const& request, std::uint64_t arrived) {
  Volume volume = request.bytes();
  volume.received += arrived;
  if (Shard* const shard = Shards::mine()) [[likely]]
    shard->add_received(request.key.with(size_bin(volume.total())), volume, request.issue_time);
}

// One request of a completion call that succeeded.
struct Covered {
  RequestKey key;
  std::uint64_t variable;
  bool became_null;  // MPI has taken the handle back
  MPI_Status const* status;
};

// settle() for requests that are persistent, cancelled, seen or without a number.
void settle_unusual(RequestTable& table, PendingRequest& request, bool became_null, MPI_Status const* status);

// Handles one request that the call has completed: counts a receive, and frees the entry unless the handle is still
// there. Returns its communicator.
[[gnu::always_inline]] inline CommIndex settle(RequestTable& table, PendingRequest& slot, Covered covered) {
  CommIndex const comm = slot.comm();
  constexpr std::uint32_t unusual =
      IssuedRequest::persistent | IssuedRequest::cancelled | IssuedRequest::seen | IssuedRequest::ticket;
  if ((slot.traits & unusual) != 0) [[unlikely]] {
    settle_unusual(table, slot, covered.became_null, covered.status);
  } else if (covered.became_null) [[likely]] {
    awaited::end_pending(slot);
    if (slot.receives()) count_receive(slot, arrived_bytes(covered.status));
    table.erase_in_slot(slot);
  }
  return comm;
}
// The slow paths of complete() and look_up(): a request in a chain or in another thread's table, or an unknown one.
// They take scalars, not a Covered: GCC would build the struct on the stack.
CommIndex settle_elsewhere(RequestKey key, std::uint64_t variable, bool became_null, MPI_Status const* status);
CommIndex look_up_elsewhere(RequestKey key, std::uint64_t variable);

// Handles one request of a call that failed: it has ended if MPI has taken it back, and what arrived is not known.
// Returns its communicator.
CommIndex settle_failed(RequestKey key, std::uint64_t variable, bool was_taken_back);

// Keeps what arrived for a receive whose request is complete and stays: it may be freed instead of completed. A started
// receive counts now: MPICH 4.2.1 makes a persistent request inactive when Request_get_status finds it complete, and a
// later Wait gets an empty status.
CommIndex see(RequestKey key, std::uint64_t variable, MPI_Status const* status);

// Finds the entry of a request and settles it. threaded: whether several threads may call MPI at once.
template <bool threaded>
[[gnu::always_inline]] inline CommIndex complete(Covered covered) {
  if (ThreadRequests* const own = threaded ? requests::lock_own() : nullptr; !threaded || own != nullptr) [[likely]] {
    RequestTable& table = threaded ? own->table : requests::of_process.table;
    PendingRequest* const slot = table.in_slot(covered.key, covered.variable);
    CommIndex comm{};
    if (slot != nullptr) [[likely]]
      comm = settle(table, *slot, covered);
    if (threaded) own->lock.unlock();
    if (slot != nullptr) [[likely]]
      return comm;
  }
  return settle_elsewhere(covered.key, covered.variable, covered.became_null, covered.status);
}
[[gnu::always_inline]] inline CommIndex complete(Covered covered) {
  return state.is_threaded() ? complete<true>(covered) : complete<false>(covered);
}

[[gnu::always_inline]] inline CommIndex look_up(RequestKey key, std::uint64_t variable) {
  PendingRequest const* const slot = state.is_threaded() ? nullptr : requests::of_process.table.in_slot(key, variable);
  return slot != nullptr ? slot->comm() : look_up_elsewhere(key, variable);
}

}  // namespace completion

// A call that covers one request.
class CompletionOfOne {
 public:
  explicit CompletionOfOne(RequestsOfCall request)
      : request_(request), key_(request ? request.key(0) : request.null_key()) {}
  // status: the program's argument; own: replaces it if it is MPI_STATUS_IGNORE.
  CompletionOfOne(RequestsOfCall request, MPI_Status* status, MPI_Status* own) : CompletionOfOne(request) {
    status_ = status == MPI_STATUS_IGNORE ? own : status;
  }

  // The status to pass to MPI.
  MPI_Status* statuses() const { return status_; }

  // For Wait, and for Test if flag is set.
  [[gnu::always_inline]] void all(Call const& call, Op op, int result, bool flag = true) {
    CommIndex comm = CommIndex::self;
    if (key_ != request_.null_key()) [[likely]] {
      if (result != MPI_SUCCESS) [[unlikely]]
        comm = failed();
      else if (message_waits::of_process.may_span(call.interval())) [[unlikely]]
        comm = spanning(op, call.interval(), flag);
      else
        comm = flag ? completion::complete({key_, request_.variable(0), request_.is_null(0), status_})
                    : completion::look_up(key_, request_.variable(0));
    }
    counting::add(comm, op, {}, call.interval());
  }
  // For Request_get_status, which completes nothing. flag: the request is complete.
  void seen_all(Call const& call, Op op, int result, bool flag) {
    count(op, flag && result == MPI_SUCCESS ? see() : comm(), call.interval());
  }
  // For Request_free.
  void released(Call const& call, Op op, int result) { count(op, release(result), call.interval()); }
  // Cancel.
  void cancelled(Call const& call, Op op, int result) { count(op, cancel(result), call.interval()); }

 private:
  CommIndex comm() const;
  // all() for a call in which an instant lies.
  CommIndex spanning(Op op, Interval interval, bool flag);
  CommIndex failed();
  CommIndex see();
  CommIndex release(int result);
  CommIndex cancel(int result);
  static void count(Op op, CommIndex comm, Interval interval) { counting::add(comm, op, {}, interval); }

  RequestsOfCall request_;
  RequestKey key_;
  MPI_Status* status_ = nullptr;
};

// A call that covers an array of requests. in_fortran: the binding; a template parameter, because each request depends
// on it.
template <bool in_fortran>
class Completion {
 public:
  // statuses: the program's argument, which may be MPI_STATUSES_IGNORE.
  [[gnu::always_inline]] Completion(int count, RequestsOfCall requests, MPI_Status statuses[])
      : count_(!requests || count < 0 ? 0 : count),
        requests_(requests.first()),
        statuses_(statuses),
        memory_(room_for(static_cast<std::size_t>(count_))) {
    if (!memory_) [[unlikely]]
      give_up();
    auto const n = static_cast<std::size_t>(count_);
    if (n == 0) [[unlikely]]
      return;
    auto* const own_statuses = memory_->template as<MPI_Status>();
    keys_ = reinterpret_cast<RequestKey*>(own_statuses + n);
    comms_ = reinterpret_cast<CommIndex*>(keys_ + n);
    if (statuses == MPI_STATUSES_IGNORE || statuses == MPI_STATUS_IGNORE) statuses_ = own_statuses;
    for (std::size_t i = 0; i < n; ++i) keys_[i] = requests.key(i);
  }

  MPI_Status* statuses() const { return statuses_; }
  // The statuses for Testall. given: the program's argument.
  MPI_Status* statuses_of_testall(MPI_Status given[]) const { return gets_none(given) ? given : statuses_; }
  // Whether the call must not reach MPI: it gets no statuses, and what will have arrived for some receive is not known.
  // Says then to the program that not all requests are complete.
  [[gnu::always_inline]] bool holds_back(Call& call, MPI_Status const given[], int* flag) {
    return gets_none(given) && !see_receives() && (say_not_all(call, flag), true);
  }

  // For Waitall, and for Testall if flag is set.
  [[gnu::always_inline]] void all(Call const& call, Op op, int result, bool flag = true) {
    if (result != MPI_SUCCESS) [[unlikely]]
      failed(op, call.interval(), true);
    else if (!flag) not_all(op, call.interval());
    else if (message_waits::of_process.may_span(call.interval())) [[unlikely]] spanning_all(op, call.interval());
    else if (state.is_threaded()) [[unlikely]] all<true>(op, call.interval());
    else all<false>(op, call.interval());
  }
  // For Waitany, and for Testany if flag is set. index: the returned one; MPI_UNDEFINED if no request was active.
  void any(Call const& call, Op op, int result, int index, bool flag = true) {
    if (result != MPI_SUCCESS) failed(op, call.interval(), false);
    else any(op, call.interval(), index, flag);
  }
  // For Waitsome and Testsome. outcount: MPI_UNDEFINED if no request was active.
  void some(Call const& call, Op op, int result, int outcount, int const indices[]) {
    if (result != MPI_SUCCESS) failed(op, call.interval(), false);
    else some(op, call.interval(), outcount, indices);
  }
  // For Request_get_status_all, _any and _some, which complete nothing.
  void seen_all(Call const& call, Op op, int, bool) { seen_all(op, call.interval()); }
  void seen_any(Call const& call, Op op, int, int, bool) { add_once(op, call.interval(), not_covered); }
  void seen_some(Call const& call, Op op, int, int, int const[]) { add_once(op, call.interval(), not_covered); }

 private:
  // The request is not looked up yet, or there is none.
  static constexpr CommIndex not_covered = CommIndex::unknown;

  template <bool threaded>
  void all(Op op, Interval interval);
  // all() for a call in which an instant lies.
  void spanning_all(Op op, Interval interval);
  // Keeps the messages that a call in which an instant lies has awaited. Must precede their completion.
  // indices: of these requests, which it has completed; nullptr: of all. of_any: one of all would have been enough.
  [[gnu::noinline, gnu::cold]] void keep_span(Op op, Interval interval, int count, int const indices[], int first,
                                              bool of_any = false);
  // Continues all() from the first request on a second communicator.
  void all_divided(Op op, Interval interval, CommIndex before, CommIndex other, int first_of_other);
  void not_all(Op op, Interval interval);
  // Handles a call that failed, whose output arguments may not be set. of_all: it completes all requests or none.
  void failed(Op op, Interval interval, bool of_all);
  void any(Op op, Interval interval, int index, bool flag);
  void some(Op op, Interval interval, int outcount, int const indices[]);
  // Counts on the communicators of all requests, none of which the call completes.
  void seen_all(Op op, Interval interval);

  RequestsOfCall requests() const { return RequestsOfCall::known(requests_, in_fortran); }
  static constexpr std::size_t room_for(std::size_t count) {
    return count * (sizeof(MPI_Status) + sizeof(RequestKey) + sizeof(CommIndex));
  }
  // Without memory, the call covers no requests.
  void give_up();
  // Whether the call passes no statuses to an MPI whose MPI_Testall is faulty if it gets them.
  bool gets_none(MPI_Status const given[]) const { return testall_is_faulty && statuses_ != given; }
  // Keeps what has arrived for receives that are complete, and prepares own statuses that MPI does not set. Whether it
  // is known of all receives.
  bool see_receives();
  void say_not_all(Call& call, int* flag);
  // Both return the communicator of a request, not_covered if there is no request.
  CommIndex complete(int index, MPI_Status const* status);
  CommIndex look_up(int index) const;
  bool became_null(int index) const { return requests().is_null(static_cast<std::size_t>(index)); }
  std::uint64_t variable(int index) const { return requests().variable(static_cast<std::size_t>(index)); }
  MPI_Request handle(int index) const { return requests().handle(static_cast<std::size_t>(index)); }
  // Whether a request may have been completed, judging by its handle.
  bool may_be_complete(int index);
  // The base of a call's indices: 1 in Fortran, except for MPIs whose mpi_f08 returns those of C.
  int first_index(int count, int const indices[]);
  void divide(Op op, Interval interval);
  // Counts once: on this communicator or, if it is not_covered, on that of the first request.
  void add_once(Op op, Interval interval, CommIndex of_completed);

  int count_;
  void const* requests_;
  RequestKey* keys_ = nullptr;
  CommIndex* comms_ = nullptr;
  MPI_Status* statuses_;
  HeldMemory memory_;
};

Completion(int, RequestsOfCall, MPI_Status*)->Completion<false>;
using CompletionInFortran = Completion<true>;

template <bool in_fortran>
template <bool threaded>
[[gnu::always_inline]] inline void Completion<in_fortran>::all(Op op, Interval interval) {
  // Local copies: the compiler must assume that counting writes to these members (aliasing).
  RequestsOfCall const requests = this->requests();
  RequestKey const* const keys = keys_;
  RequestKey const null_key = requests.null_key();
  MPI_Status const* const statuses = statuses_;
  // Most calls concern one communicator.
  CommIndex common = not_covered;
  for (int i = 0, n = count_; i < n; ++i) {
    auto const place = static_cast<std::size_t>(i);
    if (keys[place] == null_key) [[unlikely]]
      continue;
    CommIndex const comm = completion::complete<threaded>(
        {keys[place], requests.variable(place), requests.is_null(place), statuses + place});
    if (comm == common) [[likely]]
      continue;
    if (common != not_covered) [[unlikely]]
      return all_divided(op, interval, common, comm, i);
    common = comm;
  }
  counting::add(common == not_covered ? CommIndex::self : common, op, {}, interval);
}

}  // namespace commprof
