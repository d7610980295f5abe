#include "request_table/request_table.hpp"

#include <algorithm>

#include "base/dropped.hpp"
#include "spool/spool.hpp"

namespace commprof {

void RequestTable::keep_in_spool(std::uint32_t owner) {
  static_assert(sizeof slots_ % spool::page_bytes == 0);
  spool::move(slots_, sizeof slots_, {spool::Kind::requests, owner});
  entries_.keep_as({spool::Kind::further_requests, owner});
}

void RequestTable::push(Chained*& first, Chained& entry) {
  entry.next_of_variable = first;
  first = &entry;
}

void RequestTable::leave_chain(Chained& entry) {
  Chained** link = &buckets_.of_variable(entry.variable);
  while (*link != &entry) link = &(*link)->next_of_variable;
  *link = entry.next_of_variable;
}

void RequestTable::queue(Buckets const& buckets, Chained& entry) {
  Chain& chain = buckets.of_handle(entry.handle);
  entry.next_of_handle = nullptr;
  entry.previous_of_handle = chain.last;
  if (chain.last == nullptr) chain.first = &entry;
  else chain.last->next_of_handle = &entry;
  chain.last = &entry;
}

// The program has stored a new handle in this variable, so the older request can only be found by its handle.
void RequestTable::displace(std::uint64_t variable) {
  Chained* const entry = in_chain(variable);
  if (entry == nullptr) return;
  leave_chain(*entry);
  entry->variable = 0;
  ++displaced_;
}

// Without memory they stay.
void RequestTable::give_up_displaced() {
  PageVector<Chained*> displaced;
  for (std::size_t i = 0; i <= buckets_.mask; ++i)
    for (Chained* entry = buckets_.handles[i].first; entry != nullptr; entry = entry->next_of_handle)
      if (entry->variable == 0 && !displaced.push_back(entry)) return;
  Chained** const half = displaced.begin() + displaced.size() / 2;
  std::nth_element(displaced.begin(), half, displaced.end(),
                   [](Chained const* a, Chained const* b) { return a->since < b->since; });
  for (Chained** entry = displaced.begin(); entry != half; ++entry) erase(**entry);
  dropped::count(Dropped::requests_given_up, static_cast<std::uint64_t>(half - displaced.begin()));
}

// Links an entry into its chain and, in a closed table, into its queue.
void RequestTable::index(Chained& entry) {
  if (queues_handles_) {
    displace(entry.variable);
    queue(buckets_, entry);
  }
  push(buckets_.of_variable(entry.variable), entry);
}

void RequestTable::unlink(Chained& entry) {
  if (queues_handles_) {
    Chained* const next = entry.next_of_handle;
    Chained* const previous = entry.previous_of_handle;
    Chain& chain = buckets_.of_handle(entry.handle);
    if (previous == nullptr) chain.first = next;
    else previous->next_of_handle = next;
    (next == nullptr ? chain.last : next->previous_of_handle) = previous;
  }
  if (entry.variable == 0) return static_cast<void>(--displaced_);
  leave_chain(entry);
}

bool RequestTable::grow() {
  std::size_t const count = buckets_.mask == 0 ? 512 : (buckets_.mask + 1) * 4;
  std::size_t const handle_bytes = count * sizeof(Chain);
  auto* const pages = static_cast<std::byte*>(map_pages(handle_bytes + count * sizeof(Chained*)));
  if (pages == nullptr) return false;
  Buckets const larger{count - 1, reinterpret_cast<Chain*>(pages), reinterpret_cast<Chained**>(pages + handle_bytes)};
  for (std::size_t i = 0; chained_ > 0 && i <= buckets_.mask; ++i) {
    for (Chained* entry = buckets_.variables[i]; entry != nullptr;) {
      Chained* const next = entry->next_of_variable;
      push(larger.of_variable(entry->variable), *entry);
      entry = next;
    }
    for (Chained* entry = buckets_.handles[i].first; entry != nullptr;) {
      Chained* const next = entry->next_of_handle;
      queue(larger, *entry);
      entry = next;
    }
  }
  buckets_ = larger;  // those before stay mapped: they are a third of the size
  return true;
}

// An entry that is not linked yet; nullptr when memory is used up.
RequestTable::Chained* RequestTable::new_entry() {
  if (chained_ >= buckets_.mask && !grow() && buckets_.mask == 0) return nullptr;
  Chained* const entry = free_ != nullptr ? free_ : entries_.append();
  if (entry == nullptr) return nullptr;
  free_ = entry->next_of_handle;
  ++chained_;
  return entry;
}

// Closes the table: moves the entries of slots into chains, and all entries into queues. False when memory is used up:
// the table is open, some entries have moved from slots into chains, and the next call continues.
bool RequestTable::queue_all() {
  for (PendingRequest& slot : slots_) {
    if (slot.variable == vacant) continue;
    Chained* const entry = new_entry();
    if (entry == nullptr) return false;
    static_cast<PendingRequest&>(*entry) = slot;
    push(buckets_.of_variable(entry->variable), *entry);
    slot.variable = vacant;
  }
  if (buckets_.mask == 0 && !grow()) return false;
  PageVector<Chained*> entries;
  for (std::size_t i = 0; i <= buckets_.mask; ++i) {
    for (Chained* entry = buckets_.variables[i]; entry != nullptr; entry = entry->next_of_variable)
      if (!entries.push_back(entry)) return false;
  }
  std::sort(entries.begin(), entries.end(), [](Chained const* a, Chained const* b) { return a->since < b->since; });
  for (Chained* const entry : entries) queue(buckets_, *entry);
  for (PendingRequest& slot : slots_) slot.variable = closed;
  queues_handles_ = true;
  return true;
}

void RequestTable::replace_handles(std::uint64_t (*replacement)(std::uint64_t)) {
  if (size() == 0) return;
  for (PendingRequest& slot : slots_)
    if (is_taken(slot)) slot.handle = replacement(slot.handle);
  for (std::size_t i = 0; chained_ > 0 && i <= buckets_.mask; ++i) {
    if (!queues_handles_) {
      for (Chained* entry = buckets_.variables[i]; entry != nullptr; entry = entry->next_of_variable)
        entry->handle = replacement(entry->handle);
      continue;
    }
    // An entry that moves into a later bucket is visited again there, and keeps its new handle.
    Chained* entry = buckets_.handles[i].first;
    buckets_.handles[i] = {nullptr, nullptr};
    while (entry != nullptr) {
      Chained* const next = entry->next_of_handle;
      entry->handle = replacement(entry->handle);
      queue(buckets_, *entry);
      entry = next;
    }
  }
}

// A linked entry with this handle and variable, for the caller to fill in; nullptr when memory is used up.
PendingRequest* RequestTable::place_beside(std::uint64_t handle, std::uint64_t variable) {
  // The older request of this variable can only be found by its handle then.
  bool const needs_queues = slot_of(variable).variable == variable || in_chain(variable) != nullptr;
  if (needs_queues && !queues_handles_ && !queue_all()) return nullptr;
  if (displaced_ >= most_displaced) give_up_displaced();
  Chained* const entry = new_entry();
  if (entry == nullptr) return nullptr;
  entry->handle = handle;
  entry->variable = variable;
  index(*entry);
  return entry;
}

RequestTable::Chained* RequestTable::in_chain(std::uint64_t variable) const {
  if (chained_ == 0) return nullptr;
  Chained* entry = buckets_.of_variable(variable);
  while (entry != nullptr && entry->variable != variable) entry = entry->next_of_variable;
  return entry;
}

PendingRequest* RequestTable::exact_beside(std::uint64_t handle, std::uint64_t variable) const {
  Chained* const entry = in_chain(variable);
  return entry != nullptr && entry->handle == handle ? entry : nullptr;
}

void RequestTable::erase_beside(Chained& entry) {
  unlink(entry);
  entry.since = {};
  entry.next_of_handle = free_;
  free_ = &entry;
  --chained_;
}

PendingRequest* RequestTable::oldest(std::uint64_t handle) {
  if (size() == 0 || (!queues_handles_ && !queue_all())) return nullptr;
  Chained* entry = buckets_.of_handle(handle).first;
  while (entry != nullptr && entry->handle != handle) entry = entry->next_of_handle;
  return entry;
}

}  // namespace commprof
