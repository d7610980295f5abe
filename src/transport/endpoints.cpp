#include "transport/endpoints.hpp"

#include <algorithm>

namespace commprof::transport {

void Endpoints::made(void const* endpoint, WorkerId leads_to) {
  std::lock_guard const lock(mutex_);
  Table const* const table = table_.load(std::memory_order_relaxed);
  bool const is_new = table == nullptr || table->find(endpoint) == nullptr;
  if (is_new && (leads_to == WorkerId::none || !has_room())) return;
  put(*table_.load(std::memory_order_relaxed), endpoint, leads_to, rank_with(leads_to));
  if (is_new) ++used_;
}

void Endpoints::closed_all(std::uint64_t upper_bits) {
  std::lock_guard const lock(mutex_);
  Table* const table = table_.load(std::memory_order_relaxed);
  for (std::uint64_t i = 0; table != nullptr && i <= table->mask; ++i) {
    Entry& entry = table->at(i);
    if (reinterpret_cast<std::uintptr_t>(entry.endpoint.load(std::memory_order_relaxed)) >> 48 != upper_bits) continue;
    entry.worker.store(WorkerId::none, std::memory_order_relaxed);
    entry.rank.store(WorldRank::elsewhere, std::memory_order_relaxed);
  }
}

void Endpoints::know(WorkerOfRank const* workers, std::size_t count) {
  std::lock_guard const lock(mutex_);
  workers_ = workers;
  worker_count_ = count;
  Table* const table = table_.load(std::memory_order_relaxed);
  for (std::uint64_t i = 0; table != nullptr && i <= table->mask; ++i) {
    Entry& entry = table->at(i);
    entry.rank.store(rank_with(entry.worker.load(std::memory_order_relaxed)), std::memory_order_relaxed);
  }
}

WorldRank Endpoints::rank_with(WorkerId worker) const {
  WorkerOfRank const* const end = workers_ + worker_count_;
  WorkerOfRank const* const found = std::lower_bound(
      workers_, end, worker, [](WorkerOfRank const& one, WorkerId wanted) { return one.worker < wanted; });
  return found != end && found->worker == worker ? found->rank : WorldRank::elsewhere;
}

// When the table grows, the old one stays mapped: other threads may still read it.
bool Endpoints::has_room() {
  constexpr std::uint64_t fewest = 256;
  Table* const table = table_.load(std::memory_order_relaxed);
  std::uint64_t const size = table == nullptr ? 0 : table->mask + 1;
  if (2 * used_ < size) return true;
  std::uint64_t const wanted = std::max(2 * size, fewest);
  auto* const larger = static_cast<Table*>(map_pages(sizeof(Table) + wanted * sizeof(Entry)));
  if (larger == nullptr) return used_ + 1 < size;
  larger->mask = wanted - 1;
  for (std::uint64_t i = 0; i < size; ++i) {
    Entry const& entry = table->at(i);
    void const* const endpoint = entry.endpoint.load(std::memory_order_relaxed);
    if (endpoint != nullptr)
      put(*larger, endpoint, entry.worker.load(std::memory_order_relaxed), entry.rank.load(std::memory_order_relaxed));
  }
  table_.store(larger, std::memory_order_release);
  return true;
}

void Endpoints::put(Table& table, void const* endpoint, WorkerId worker, WorldRank rank) {
  std::uint64_t i = place_of(endpoint);
  for (;; ++i) {
    void const* const there = table.at(i).endpoint.load(std::memory_order_relaxed);
    if (there == nullptr || there == endpoint) break;
  }
  Entry& entry = table.at(i);
  entry.worker.store(worker, std::memory_order_relaxed);
  entry.rank.store(rank, std::memory_order_relaxed);
  entry.endpoint.store(endpoint, std::memory_order_release);
}

}  // namespace commprof::transport
