// Which process an endpoint of UCX leads to. A process gets the address of a worker, a part of UCX in another process,
// to make an endpoint, and asks for the addresses of its own workers. Addresses begin with a number that is the
// worker's alone.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/index.hpp"
#include "counters/counters.hpp"

namespace commprof::transport {

enum class WorkerId : std::uint64_t { none = 0 };

// An address begins with one byte (UCX 1.13) or three (the second version of addresses), followed by 8 random bytes.
// Bytes 3 to 8 are random in both versions.
inline WorkerId worker_of(unsigned char const* address) {
  std::uint64_t id = 0;
  for (int i = 3; i < 9; ++i) id = id << 8 | address[i];
  return static_cast<WorkerId>(id);
}

struct WorkerOfRank {
  WorkerId worker;
  WorldRank rank;
};

class Endpoints {
 public:
  // The process has made an endpoint, perhaps in the place of a closed one.
  void made(void const* endpoint, WorkerId leads_to) {
    std::lock_guard const lock(mutex_);
    Lead const lead{leads_to, rank_with(leads_to)};
    if (Lead* const known = leads_.find(key_of(endpoint))) set(*known, lead);
    else leads_.add(key_of(endpoint), lead);
  }

  // Which process has which worker, from now on; sorted by worker. Keeps the array.
  void know(WorkerOfRank const* workers, std::size_t count) {
    std::lock_guard const lock(mutex_);
    workers_ = workers;
    worker_count_ = count;
    leads_.for_each([&](std::uint64_t, Lead& lead) { set(lead, {lead.worker, rank_with(lead.worker)}); });
  }

  // The process that an endpoint leads to; elsewhere if unknown. Takes no lock.
  WorldRank rank_of(void const* endpoint) const {
    Lead* const lead = leads_.find(key_of(endpoint));
    return lead == nullptr ? WorldRank::elsewhere : std::atomic_ref(lead->rank).load(std::memory_order_relaxed);
  }

  // Whether the endpoint was made. Takes no lock.
  bool knows(void const* endpoint) const { return leads_.find(key_of(endpoint)) != nullptr; }

 private:
  struct Lead {
    WorkerId worker = WorkerId::none;
    WorldRank rank = WorldRank::elsewhere;
  };

  static std::uint64_t key_of(void const* endpoint) { return reinterpret_cast<std::uintptr_t>(endpoint); }
  WorldRank rank_with(WorkerId worker) const {
    WorkerOfRank const* const end = workers_ + worker_count_;
    WorkerOfRank const* const found = std::lower_bound(
        workers_, end, worker, [](WorkerOfRank const& one, WorkerId wanted) { return one.worker < wanted; });
    return found != end && found->worker == worker ? found->rank : WorldRank::elsewhere;
  }
  static void set(Lead& lead, Lead const& known) {
    lead.worker = known.worker;
    std::atomic_ref(lead.rank).store(known.rank, std::memory_order_relaxed);
  }

  std::mutex mutex_;                                    // of those who make endpoints
  Index<std::uint64_t, Lead, IndexWithReaders> leads_;  // by endpoint
  WorkerOfRank const* workers_ = nullptr;
  std::size_t worker_count_ = 0;
};

}  // namespace commprof::transport
