// The tables of pending requests of the process. Any thread may call these functions. See docs/design.md, "Requests".
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <type_traits>

#include "base/dropped.hpp"
#include "counters/counters.hpp"
#include "mpi/mpi.hpp"
#include "request_table/request_table.hpp"

namespace commprof {

// The keys that the request table knows requests by: the bits of their C handles. With Open MPI, as long as one thread
// issues and completes all requests in Fortran, keys are the Fortran integers (with bit 63 set), which saves
// PMPI_Request_f2c at each call. The first call in C converts all entries.
using RequestKey = std::conditional_t<std::is_integral_v<MPI_Request>, std::uint32_t, std::uint64_t>;

namespace requests {

namespace keys {
inline std::atomic<bool> are_integers{false};
inline MPI_Fint null_in_fortran = 0;
inline RequestKey of(MPI_Fint integer) { return static_cast<RequestKey>(bits_of_integer(integer)); }
}  // namespace keys

// Must be called once, when MPI can be used and it is known whether there are threads.
void begin_keys(bool threaded);

inline bool keys_are_integers() {
  return !std::is_integral_v<MPI_Request> && keys::are_integers.load(std::memory_order_relaxed);
}
// Converts all entries to handles. Keys are handles from now on.
void use_handles();

inline RequestKey key_of(MPI_Request handle) { return static_cast<RequestKey>(handle_bits(handle)); }
inline RequestKey key_of_integer(MPI_Fint integer) {
  return keys_are_integers() ? keys::of(integer) : key_of(PMPI_Request_f2c(integer));
}
inline RequestKey null_key_of_integers() {
  return keys_are_integers() ? keys::of(keys::null_in_fortran) : key_of(MPI_REQUEST_NULL);
}

// MPI_REQUEST_NULL.
inline MPI_Fint null_in_fortran() {
  if constexpr (std::is_integral_v<MPI_Request>) return PMPI_Request_c2f(MPI_REQUEST_NULL);
  else return keys::null_in_fortran;
}

class SpinLock {
 public:
  [[gnu::always_inline]] bool try_lock() { return !locked_.exchange(true, std::memory_order_acquire); }
  void lock();
  void unlock() { locked_.store(false, std::memory_order_release); }

 private:
  std::atomic<bool> locked_{false};
};

}  // namespace requests

struct ThreadRequests {
  requests::SpinLock lock;
  RequestTable table;
};

namespace requests {

// The table while one thread at a time calls MPI. It belongs to no thread; once there are several, all of them search
// it.
extern ThreadRequests of_process;
// The tables of threads, by the number of the thread; nullptr until a thread issues a request.
inline constexpr std::size_t most_tables = 32;
extern std::atomic<ThreadRequests*> of_threads[most_tables];
// From now on several threads may call MPI at once. To be called once.
//
// Another thread may be using the table of the process without a lock at this moment, for a few instructions. Two
// threads could meet in it only if that thread is suspended there while another one creates a communicator from the new
// session and completes a request of a third thread. If keys are Fortran integers, a request that a thread is waiting
// for during this call is not recognised any more and counts as unknown.
void begin_threads();

// insert() for a thread that has no table, or whose table another thread has locked. False when memory is used up.
// Takes scalars, not a struct: GCC would build the struct on the stack.
bool insert_among_threads(std::uint64_t handle, std::uint64_t variable, Ticks issue_time, std::uint64_t sent,
                          std::uint64_t received, std::uint64_t packed_key, std::uint32_t traits, std::uint32_t link,
                          Ticks since);

// The calling thread's table, locked. nullptr: it has none yet, or another thread has locked it.
[[gnu::always_inline]] inline ThreadRequests* lock_own() {
  ThreadRequests* const own = this_thread.requests;
  return own != nullptr && own->lock.try_lock() ? own : nullptr;
}

[[gnu::always_inline]] inline void insert(std::uint64_t handle, std::uint64_t variable, IssuedRequest const& request) {
  bool done;
  if (!state.is_threaded()) [[likely]] {
    done = of_process.table.insert(handle, variable, request);
  } else if (ThreadRequests* const own = lock_own()) [[likely]] {
    done = own->table.insert(handle, variable, request);
    own->lock.unlock();
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
  // Most requests are in the calling thread's table, and found by their variable.
  [[gnu::always_inline]] LockedRequest(std::uint64_t handle, std::uint64_t variable) : holder_(lock_own()) {
    if (holder_ != nullptr) [[likely]] {
      entry_ = holder_->table.exact(handle, variable);
      if (entry_ != nullptr) [[likely]]
        return;
      holder_->lock.unlock();
      holder_ = nullptr;
    }
    search(handle, variable);
  }
  LockedRequest(LockedRequest const&) = delete;
  LockedRequest& operator=(LockedRequest const&) = delete;
  [[gnu::always_inline]] ~LockedRequest() {
    if (holder_ != nullptr) holder_->lock.unlock();
  }

  PendingRequest* entry() const { return entry_; }
  RequestTable& table() const { return holder_->table; }

 private:
  void search(std::uint64_t handle, std::uint64_t variable);
  bool find_in(ThreadRequests& place, std::uint64_t handle, std::uint64_t variable, bool exactly);

  ThreadRequests* holder_;
  PendingRequest* entry_ = nullptr;
};

// Calls visit(table, entry) for the entry of a request, which it may erase. False if there is none.
template <class Visitor>
[[gnu::always_inline]] inline bool with_request(std::uint64_t handle, std::uint64_t variable, Visitor&& visit) {
  if (state.is_threaded()) [[unlikely]] {
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

// A type without a name would give each source a variable of its own.
struct Started {
  std::mutex mutex;
  StartedCalls table;
};
inline Started started;

inline std::uint64_t variable_of(void const* variable) { return reinterpret_cast<std::uintptr_t>(variable); }

// Calls visit(entry) for each pending request. Other threads may call MPI meanwhile. visit() must need no other lock.
template <class Visitor>
void for_each_pending(Visitor&& visit) {
  auto const visit_all = [&](ThreadRequests& one) {
    std::lock_guard const lock(one.lock);
    one.table.for_each(visit);
  };
  if (!state.is_threaded()) return of_process.table.for_each(visit);
  visit_all(of_process);
  for (auto const& one : of_threads)
    if (ThreadRequests* const place = one.load(std::memory_order_acquire)) visit_all(*place);
}

}  // namespace requests
}  // namespace commprof
