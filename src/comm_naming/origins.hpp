// Finds the communicator that an object was made from, by the object's handle and without asking MPI, because the
// handle may be invalid. Any thread may call these functions.
#pragma once

#include <cstdint>
#include <mutex>

#include "base/ids.hpp"
#include "request_table/request_table.hpp"

namespace commprof {

class Origins {
 public:
  // An object was made. An older object with this handle no longer exists, even if its release was not seen.
  void add(std::uint64_t handle, CommIndex comm);

  // CommIndex::unknown if there is no such object.
  CommIndex of(std::uint64_t handle);

  // The release of an object. Construct it before the call: by the time the call returns, another thread may have made
  // another object with this handle.
  class Release {
   public:
    Release(Origins& origins, std::uint64_t handle);
    Release(Release const&) = delete;
    Release& operator=(Release const&) = delete;

    // Forgets the object if the call has released it. Returns its communicator; unknown if there was no such object.
    CommIndex comm(bool is_released) const;

   private:
    Origins& origins_;
    std::uint64_t handle_;
    std::uint64_t serial_ = 0;
    CommIndex comm_ = CommIndex::unknown;
  };

 private:
  PendingRequest* find(std::uint64_t handle) { return table_.exact(handle, handle); }

  std::mutex mutex_;
  RequestTable table_;  // uses the handle as variable, too, and a serial number in place of the time
  std::uint64_t added_ = 0;
};

}  // namespace commprof
