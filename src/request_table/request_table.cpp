#include "request_table/request_table.hpp"

#include <algorithm>

namespace commprof {

void RequestTable::push(PendingRequest*& first, PendingRequest& entry) {
  entry.next_of_variable = first;
  show(first, &entry);
}

void RequestTable::queue(Buckets const& buckets, PendingRequest& entry) {
  Chain& chain = buckets.of_handle(entry.handle);
  entry.next_of_handle = nullptr;
  entry.previous_of_handle = chain.last;
  if (chain.last == nullptr) show(chain.first, &entry);
  else chain.last->next_of_handle = &entry;
  chain.last = &entry;
}

// The variable no longer tells anything of the request that was stored there before: from now on that can only be found by its
// handle.
void RequestTable::displace(std::uint64_t variable) {
  if (variable == 0) return;
  PendingRequest*& first = buckets_.of_variable(variable);
  PendingRequest* previous = nullptr;
  PendingRequest* entry = first;
  while (entry != nullptr && entry->variable != variable) {
    previous = entry;
    entry = entry->next_of_variable;
  }
  if (entry == nullptr) return;
  if (!queues_handles_) queue_all();
  if (previous == nullptr) show(first, entry->next_of_variable);
  else previous->next_of_variable = entry->next_of_variable;
  show(entry->variable, std::uint64_t{0});
}

// Puts an entry into its buckets.
void RequestTable::index(PendingRequest& entry) {
  entry.serial = ++serial_;
  displace(entry.variable);
  if (entry.variable == 0 && !queues_handles_) queue_all();
  if (queues_handles_) queue(buckets_, entry);
  if (entry.variable != 0) push(buckets_.of_variable(entry.variable), entry);
}

void RequestTable::unlink(PendingRequest& entry) {
  if (queues_handles_) {
    PendingRequest* const next = entry.next_of_handle;
    PendingRequest* const previous = entry.previous_of_handle;
    Chain& chain = buckets_.of_handle(entry.handle);
    if (previous == nullptr) show(chain.first, next);
    else previous->next_of_handle = next;
    (next == nullptr ? chain.last : next->previous_of_handle) = previous;
  }
  if (entry.variable == 0) return;
  PendingRequest*& first = buckets_.of_variable(entry.variable);
  if (first == &entry) {
    show(first, entry.next_of_variable);
  } else {
    PendingRequest* before = first;
    while (before->next_of_variable != &entry) before = before->next_of_variable;
    before->next_of_variable = entry.next_of_variable;
  }
}

bool RequestTable::grow() {
  std::size_t const count = buckets_.mask == 0 ? 512 : (buckets_.mask + 1) * 4;
  std::size_t const handle_bytes = count * sizeof(Chain), variable_bytes = count * sizeof(PendingRequest*);
  auto* const pages = static_cast<std::byte*>(map_pages(handle_bytes + variable_bytes + sizeof(Buckets)));
  if (pages == nullptr) return false;
  auto* const larger = new (pages + handle_bytes + variable_bytes) Buckets{
      count - 1, reinterpret_cast<Chain*>(pages), reinterpret_cast<PendingRequest**>(pages + handle_bytes)};
  for (std::size_t i = 0; size_ > 0 && i <= buckets_.mask; ++i) {
    for (PendingRequest* entry = buckets_.variables[i]; entry != nullptr;) {
      PendingRequest* const next = entry->next_of_variable;
      push(larger->of_variable(entry->variable), *entry);
      entry = next;
    }
    for (PendingRequest* entry = buckets_.handles[i].first; entry != nullptr;) {
      PendingRequest* const next = entry->next_of_handle;
      queue(*larger, *entry);
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

// Starts to keep the queues of the handles.
void RequestTable::queue_all() {
  PageVector<PendingRequest*> entries;
  for (std::size_t i = 0; i <= buckets_.mask; ++i)
    for (PendingRequest* entry = buckets_.variables[i]; entry != nullptr; entry = entry->next_of_variable) entries.push_back(entry);
  std::sort(entries.begin(), entries.end(),
            [](PendingRequest const* a, PendingRequest const* b) { return a->serial < b->serial; });
  for (PendingRequest* const entry : entries) queue(buckets_, *entry);
  queues_handles_ = true;
  shows_handles_.store(true, std::memory_order_release);
}

PendingRequest* RequestTable::oldest(std::uint64_t handle) {
  if (size_ == 0) return nullptr;
  if (newest_ != nullptr) {
    index(*newest_);
    set_newest(nullptr);
  }
  if (!queues_handles_) queue_all();
  PendingRequest* entry = buckets_.of_handle(handle).first;
  while (entry != nullptr && entry->handle != handle) entry = entry->next_of_handle;
  return entry;
}

// The newest entry first: one that no longer is the newest is in its buckets by then.
bool RequestTable::may_hold_variable(std::uint64_t variable) const {
  auto* const newest = std::atomic_ref(const_cast<PendingRequest*&>(newest_)).load(std::memory_order_acquire);
  if (newest != nullptr && std::atomic_ref(newest->variable).load(std::memory_order_relaxed) == variable) return true;
  Buckets const* const buckets = shown_buckets_.load(std::memory_order_acquire);
  return buckets != nullptr && std::atomic_ref(buckets->of_variable(variable)).load(std::memory_order_relaxed) != nullptr;
}

bool RequestTable::may_hold_handle(std::uint64_t handle) const {
  auto* const newest = std::atomic_ref(const_cast<PendingRequest*&>(newest_)).load(std::memory_order_acquire);
  if (newest != nullptr && std::atomic_ref(newest->handle).load(std::memory_order_relaxed) == handle) return true;
  Buckets const* const buckets = shown_buckets_.load(std::memory_order_acquire);
  if (buckets == nullptr || !shows_handles_.load(std::memory_order_acquire)) return buckets != nullptr;
  return std::atomic_ref(buckets->of_handle(handle).first).load(std::memory_order_relaxed) != nullptr;
}

bool RequestTable::remove(std::uint64_t handle, std::uint64_t variable, PendingRequest& removed) {
  PendingRequest* const entry = find(handle, variable);
  if (entry == nullptr) return false;
  removed = *entry;
  erase(*entry);
  return true;
}

}  // namespace commprof
