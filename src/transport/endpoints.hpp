// Which process an endpoint of UCX leads to. A process gets the address of a worker, a part of UCX in another process,
// to make an endpoint, and asks for the addresses of its own workers. Addresses begin with a number that is the
// worker's alone.
#pragma once

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
  // The process has made an endpoint, or closed one.
  void made(void const* endpoint, WorkerId leads_to);
  void closed(void const* endpoint) { made(endpoint, WorkerId::none); }

  // Closes the endpoints whose upper 16 bits are this number.
  void closed_all(std::uint64_t upper_bits);

  // Which process has which worker, from now on; sorted by worker. Keeps the array.
  void know(WorkerOfRank const* workers, std::size_t count);

  // The process that an endpoint leads to; elsewhere if unknown. Takes no lock.
  WorldRank rank_of(void const* endpoint) const {
    Lead* const lead = leads_.find(key_of(endpoint));
    return lead == nullptr ? WorldRank::elsewhere : std::atomic_ref(lead->rank).load(std::memory_order_relaxed);
  }

  // Whether the endpoint is one that was made and not closed. Takes no lock.
  bool knows(void const* endpoint) const {
    Lead* const lead = leads_.find(key_of(endpoint));
    return lead != nullptr && std::atomic_ref(lead->worker).load(std::memory_order_relaxed) != WorkerId::none;
  }

 private:
  struct Lead {
    WorkerId worker = WorkerId::none;
    WorldRank rank = WorldRank::elsewhere;
  };

  static std::uint64_t key_of(void const* endpoint) { return reinterpret_cast<std::uintptr_t>(endpoint); }
  WorldRank rank_with(WorkerId worker) const;
  static void set(Lead& lead, WorkerId worker, WorldRank rank);

  std::mutex mutex_;                                    // of those who make endpoints
  Index<std::uint64_t, Lead, IndexWithReaders> leads_;  // by endpoint
  WorkerOfRank const* workers_ = nullptr;
  std::size_t worker_count_ = 0;
};

}  // namespace commprof::transport
