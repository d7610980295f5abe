#include "transport/endpoints.hpp"

#include <algorithm>

namespace commprof::transport {

void Endpoints::set(Lead& lead, WorkerId worker, WorldRank rank) {
  std::atomic_ref(lead.worker).store(worker, std::memory_order_relaxed);
  std::atomic_ref(lead.rank).store(rank, std::memory_order_relaxed);
}

void Endpoints::made(void const* endpoint, WorkerId leads_to) {
  std::lock_guard const lock(mutex_);
  Lead const lead{leads_to, rank_with(leads_to)};
  if (Lead* const known = leads_.find(key_of(endpoint))) set(*known, lead.worker, lead.rank);
  else if (leads_to != WorkerId::none) leads_.add(key_of(endpoint), lead);
}

void Endpoints::closed_all(std::uint64_t upper_bits) {
  std::lock_guard const lock(mutex_);
  leads_.for_each([&](std::uint64_t endpoint, Lead& lead) {
    if (endpoint >> 48 == upper_bits) set(lead, WorkerId::none, WorldRank::elsewhere);
  });
}

void Endpoints::know(WorkerOfRank const* workers, std::size_t count) {
  std::lock_guard const lock(mutex_);
  workers_ = workers;
  worker_count_ = count;
  leads_.for_each([&](std::uint64_t, Lead& lead) { set(lead, lead.worker, rank_with(lead.worker)); });
}

WorldRank Endpoints::rank_with(WorkerId worker) const {
  WorkerOfRank const* const end = workers_ + worker_count_;
  WorkerOfRank const* const found = std::lower_bound(
      workers_, end, worker, [](WorkerOfRank const& one, WorkerId wanted) { return one.worker < wanted; });
  return found != end && found->worker == worker ? found->rank : WorldRank::elsewhere;
}

}  // namespace commprof::transport
