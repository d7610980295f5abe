// The tables of the process: its pending requests, and its matched messages (MPI_Mprobe), which lead to their communicator
// in the same way. Safe to call from any thread.
#pragma once

#include <mutex>

#include "profile/mpi.hpp"
#include "profile/state.hpp"
#include "request_table/request_table.hpp"
#include "request_table/started_calls.hpp"

namespace commprof::requests {

// A lock that a process without threads in MPI does not pay for.
class Guard {
 public:
  explicit Guard(std::mutex& mutex) : mutex_(state.threaded ? &mutex : nullptr) {
    if (mutex_ != nullptr) mutex_->lock();
  }
  Guard(Guard const&) = delete;
  Guard& operator=(Guard const&) = delete;
  ~Guard() {
    if (mutex_ != nullptr) mutex_->unlock();
  }

 private:
  std::mutex* mutex_;
};

struct SharedTable {
  std::mutex mutex;
  RequestTable table;
};

inline SharedTable pending;
inline SharedTable messages;
inline StartedCalls started;  // guarded by the lock of the pending requests

// The address of the program's variable as an entry remembers it.
inline std::uint64_t variable_of(void const* variable) {
  return reinterpret_cast<std::uintptr_t>(variable);
}

}  // namespace commprof::requests
