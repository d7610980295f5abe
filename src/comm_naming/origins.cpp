#include "comm_naming/origins.hpp"

#include "base/dropped.hpp"
#include "counters/counters.hpp"

namespace commprof {

void Origins::add(std::uint64_t handle, CommIndex comm) {
  Guard const lock(mutex_);
  if (PendingRequest* const older = find(handle)) table_.erase(*older);
  if (!table_.insert(handle, handle, {.key = RecordKey::of(comm, 0), .since = {++added_}}))
    dropped::count(Dropped::requests);
}

CommIndex Origins::of(std::uint64_t handle) {
  Guard const lock(mutex_);
  PendingRequest const* const entry = find(handle);
  return entry == nullptr ? CommIndex::unknown : entry->comm();
}

Origins::Release::Release(Origins& origins, std::uint64_t handle) : origins_(origins), handle_(handle) {
  Guard const lock(origins.mutex_);
  PendingRequest const* const entry = origins.find(handle);
  if (entry == nullptr) return;
  serial_ = entry->since.count;
  comm_ = entry->comm();
}

CommIndex Origins::Release::comm(bool is_released) const {
  if (!is_released || comm_ == CommIndex::unknown) return comm_;
  Guard const lock(origins_.mutex_);
  PendingRequest* const entry = origins_.find(handle_);
  if (entry != nullptr && entry->since.count == serial_) origins_.table_.erase(*entry);
  return comm_;
}

}  // namespace commprof
