#include "request_table/request_table.hpp"

namespace commprof {

bool RequestTable::grow() {
  std::size_t const count = buckets_.mask == 0 ? 512 : (buckets_.mask + 1) * 4;
  std::size_t const handle_bytes = count * sizeof(Chain), variable_bytes = count * sizeof(PendingRequest*);
  auto* const pages = static_cast<std::byte*>(map_pages(handle_bytes + variable_bytes + sizeof(Buckets)));
  if (pages == nullptr) return false;
  auto* const larger = new (pages + handle_bytes + variable_bytes) Buckets{
      count - 1, reinterpret_cast<Chain*>(pages), reinterpret_cast<PendingRequest**>(pages + handle_bytes)};
  for (std::size_t i = 0; size_ > 0 && i <= buckets_.mask; ++i) {
    for (PendingRequest* entry = buckets_.handles[i].first; entry != nullptr;) {
      PendingRequest* const next = entry->next_of_handle;
      link_handle(*larger, *entry);
      if (entry->variable != 0) {
        PendingRequest*& first = larger->of_variable(entry->variable);
        entry->next_of_variable = first;
        first = entry;
      }
      entry = next;
    }
  }
  buckets_ = *larger;
  shown_buckets_.store(larger, std::memory_order_release);
  return true;
}

// Makes room, and the first of the free list.
PendingRequest* RequestTable::new_entry() {
  if (size_ >= buckets_.mask && !grow() && buckets_.mask == 0) return nullptr;
  if (free_ == nullptr) free_ = entries_.append();
  return free_;
}

PendingRequest* RequestTable::oldest(std::uint64_t handle) const {
  if (size_ == 0) return nullptr;
  PendingRequest* entry = buckets_.of_handle(handle).first;
  while (entry != nullptr && entry->handle != handle) entry = entry->next_of_handle;
  return entry;
}

bool RequestTable::may_hold_variable(std::uint64_t variable) const {
  Buckets const* const buckets = shown_buckets_.load(std::memory_order_acquire);
  return buckets != nullptr && std::atomic_ref(buckets->of_variable(variable)).load(std::memory_order_relaxed) != nullptr;
}

bool RequestTable::may_hold_handle(std::uint64_t handle) const {
  Buckets const* const buckets = shown_buckets_.load(std::memory_order_acquire);
  return buckets != nullptr && std::atomic_ref(buckets->of_handle(handle).first).load(std::memory_order_relaxed) != nullptr;
}

bool RequestTable::remove(std::uint64_t handle, std::uint64_t variable, PendingRequest& removed) {
  PendingRequest* const entry = find(handle, variable);
  if (entry == nullptr) return false;
  removed = *entry;
  erase(*entry);
  return true;
}

}  // namespace commprof
