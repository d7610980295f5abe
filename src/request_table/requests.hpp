// The tables of the process: of pending requests, and of matched messages (MPI_Mprobe), whose communicators are found
// in the same way. Any thread may call these functions.
//
// Without threads there is one table of requests and no lock. If several threads may call MPI at once, each thread
// inserts the requests that it issues into its own table, under a BiasedLock. So a call writes to no cache line that
// other threads write to. A thread that completes another thread's request searches the other tables.
//
// With few threads it searches all tables. Once threads have searched more than 32 tables 16 times, all requests move
// into common tables, into which all threads issue from then on. The handle determines the common table, so a request
// is searched in one of them only, by its variable or by its handle.
#pragma once

#include <mutex>

#include "base/dropped.hpp"
#include "counters/counters.hpp"
#include "mpi/mpi.hpp"
#include "request_table/biased_lock.hpp"
#include "request_table/request_keys.hpp"
#include "request_table/request_table.hpp"
#include "request_table/started_calls.hpp"

namespace commprof {

struct ThreadRequests {
  BiasedLock lock;
  RequestTable table;
  ThreadRequests* next = nullptr;
};

namespace requests {

// The table while one thread at a time calls MPI. It belongs to no thread; once there are several, all of them search
// it.
extern ThreadRequests of_process;
// From now on several threads may call MPI at once. To be called once.
//
// Another thread may be using the table of the process without a lock at this moment, for a few instructions. Two
// threads could meet in it only if that thread is suspended there while another one creates a communicator from the new
// session and completes a request of a third thread. If keys are Fortran integers, a request that a thread is waiting
// for during this call is not recognised any more and counts as unknown.
void begin_threads();

// insert() for a thread that has no table, or whose lock is revoked.
// False when memory is used up.
// Takes scalars, not a struct: GCC would build the struct on the stack.
bool insert_among_threads(std::uint64_t handle, std::uint64_t variable, Ticks issue_time, std::uint64_t sent,
                          std::uint64_t received, std::uint64_t packed_key, std::uint32_t traits, std::uint32_t link,
                          Ticks since);

// The calling thread's table, locked by its owner. nullptr: it has none yet, or the lock has been revoked.
[[gnu::always_inline]] inline ThreadRequests* lock_own() {
  ThreadRequests* const own = this_thread.requests;
  return own != nullptr && own->lock.try_lock_owner() ? own : nullptr;
}

[[gnu::always_inline]] inline void insert(std::uint64_t handle, std::uint64_t variable, IssuedRequest const& request) {
  bool done;
  if (!state.is_threaded()) [[likely]] {
    done = of_process.table.insert(handle, variable, request);
  } else if (ThreadRequests* const own = lock_own()) [[likely]] {
    done = own->table.insert(handle, variable, request);
    own->lock.unlock_owner(true);
  } else {
    done = insert_among_threads(handle, variable, request.issue_time, request.known.sent, request.known.received,
                                request.key.packed, request.traits, request.link, request.since);
  }
  if (!done) [[unlikely]]
    dropped::count(Dropped::requests);
}

// The entry of a request in the table of whichever thread has it, locked as long as this object lives.
class LockedRequest {
 public:
  LockedRequest(std::uint64_t handle, std::uint64_t variable);
  LockedRequest(LockedRequest const&) = delete;
  LockedRequest& operator=(LockedRequest const&) = delete;
  ~LockedRequest();

  PendingRequest* entry() const { return entry_; }
  RequestTable& table() const { return holder_->table; }

 private:
  bool find_here(ThreadRequests& own, std::uint64_t handle, std::uint64_t variable, bool exactly);
  bool find_there(ThreadRequests& other, std::uint64_t handle, std::uint64_t variable, bool exactly);
  bool find_in_common(std::uint64_t handle, std::uint64_t variable, bool exactly);
  bool find_among_threads(ThreadRequests const* own, std::uint64_t handle, std::uint64_t variable, bool exactly);

  PendingRequest* entry_ = nullptr;
  ThreadRequests* holder_ = nullptr;
  bool is_own_ = false;
  bool as_owner_ = false;
};

// with_request() limited to the calling thread's table and to the variable, which finds most requests. False: search
// further.
template <class Visitor>
[[gnu::always_inline]] inline bool with_own_request(std::uint64_t handle, std::uint64_t variable, Visitor&& visit) {
  ThreadRequests* const own = lock_own();
  if (own == nullptr) [[unlikely]]
    return false;
  PendingRequest* const entry = own->table.exact(handle, variable);
  if (entry != nullptr) [[likely]]
    visit(own->table, *entry);
  own->lock.unlock_owner(true);
  return entry != nullptr;
}

// Calls visit(table, entry) for the entry of a request, which it may erase. False if there is none.
template <class Visitor>
[[gnu::always_inline]] inline bool with_request(std::uint64_t handle, std::uint64_t variable, Visitor&& visit) {
  if (state.is_threaded()) [[unlikely]] {
    if (with_own_request(handle, variable, visit)) return true;
    LockedRequest const request(handle, variable);
    if (request.entry() == nullptr) return false;
    visit(request.table(), *request.entry());
    return true;
  }
  PendingRequest* const entry = of_process.table.find(handle, variable);
  if (entry == nullptr) [[unlikely]]
    return false;
  visit(of_process.table, *entry);
  return true;
}

template <class Table>
struct Shared {
  std::mutex mutex;
  Table table;
};

inline Shared<RequestTable> messages;
inline Shared<StartedCalls> started;

inline std::uint64_t variable_of(void const* variable) { return reinterpret_cast<std::uintptr_t>(variable); }

// The list of all tables, common ones included; nullptr before begin_threads().
ThreadRequests* first_of_threads();

// Calls visit(entry) for each pending request. Other threads may call MPI meanwhile.
template <class Visitor>
void for_each_pending(Visitor&& visit) {
  ThreadRequests* const first = first_of_threads();
  if (first == nullptr) return of_process.table.for_each(visit);
  BiasedLock::visit_all(
      [first](auto&& visit_one) {
        for (ThreadRequests* one = first; one != nullptr; one = one->next) visit_one(one->lock, *one);
      },
      [&](ThreadRequests& one) { one.table.for_each(visit); });
}

}  // namespace requests
}  // namespace commprof
