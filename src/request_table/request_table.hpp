// What the completion of a request needs to know: who issued it, on which communicator.
//
// A handle does not identify a request: both Open MPI and MPICH hand out one handle for many small sends that are complete
// at once. So each handle leads to a queue of entries, oldest first. Where the program waits on the very variable that a
// request was stored in, that entry is the one; else, among requests that MPI itself cannot tell apart, the oldest.
//
// A receive is counted when it completes, since only then is it known how much arrived. Until then its entry holds all that
// was known at issue, and a profile that is written in between counts it from there.
//
// Knows no MPI: handles are 64 bits. Callers serialise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "profile/clock.hpp"
#include "profile/counters.hpp"
#include "profile/ids.hpp"
#include "profile/memory.hpp"

namespace commprof {

struct PendingRequest {
  // Neighbours in a chain of entries: index + 1, 0 at its ends.
  struct Links {
    std::uint32_t next = 0;
    std::uint32_t previous = 0;
  };

  std::uint64_t handle = 0;
  std::uint64_t variable = 0;  // address of the handle given out at issue; 0 once another was stored there
  Ticks issue_time{};          // how long the issuing call took
  Volume known{};              // of a receive or of one start of a persistent request, without what arrives
  CommIndex comm = CommIndex::unknown;
  Links by_handle{};           // oldest first; next also links the free list
  Links by_variable{};
  std::uint32_t start = 0;     // of a persistent request: index + 1 of the call that started it; 0: inactive
  Op op{};
  RegionIndex region = RegionIndex::main;  // at issue
  bool receives = false;       // the call is counted at completion, with what arrived
  bool counted = true;         // false: issued while counting was paused
  bool cancelled = false;      // MPI_Cancel was called on it
  bool persistent = false;     // stays in the table until it is freed
};

class RequestTable {
 public:
  // Takes the request into the table. False when memory is used up.
  bool insert(PendingRequest const& request);

  // The entry for a handle stored in a variable, or nullptr; valid until the next insert or remove.
  PendingRequest* find(std::uint64_t handle, std::uint64_t variable);

  // Takes the entry that find() would return out of the table. False if there is none.
  bool remove(std::uint64_t handle, std::uint64_t variable, PendingRequest& removed);

  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for (std::size_t bucket = 0; bucket < bucket_count_; ++bucket)
      for (std::uint32_t i = handles_[bucket].first; i != 0; i = entries_[i - 1].by_handle.next) visit(entries_[i - 1]);
  }
  std::size_t size() const { return size_; }

 private:
  struct Bucket {
    std::uint32_t first;  // index + 1
    std::uint32_t last;
  };
  Bucket& handle_bucket(std::uint64_t handle) { return handles_[(handle * hash_factor) >> shift_]; }
  std::uint32_t& variable_bucket(std::uint64_t variable) { return variables_[(variable * hash_factor) >> shift_]; }
  PendingRequest& entry(std::uint32_t index) { return entries_[index - 1]; }

  std::uint32_t locate(std::uint64_t handle, std::uint64_t variable);
  std::uint32_t in_variable(std::uint64_t variable);
  bool grow();
  void link(std::uint32_t index);
  void unlink_handle(std::uint32_t index);
  void unlink_variable(std::uint32_t index);

  static constexpr std::uint64_t hash_factor = 0x9E3779B97F4A7C15ULL;

  Bucket* handles_ = nullptr;
  std::uint32_t* variables_ = nullptr;  // as many; the first of a chain
  std::size_t bucket_count_ = 0;
  unsigned shift_ = 0;
  std::size_t size_ = 0;
  std::uint32_t free_ = 0;
  Arena<PendingRequest, 10, 65536> entries_;
};

}  // namespace commprof
