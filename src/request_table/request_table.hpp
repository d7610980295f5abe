// From a request to what was known when it was issued: one PendingRequest, the entry, for each request that is not
// complete.
//
// There are two ways to an entry. The short one leads through the address of the program's MPI_Request variable, the
// other one through the handle in it:
//
//   variable ──► slot         slots_[address / 4 % 1024]: nearly all requests, in two instructions
//        └─────► chain        the entries whose slot was taken, by variable
//   handle ────► queue        the entries of one handle, oldest first
//
// The requests of an array have different slots: 1024 handles of 4 bytes in a row, 512 of 8.
//
// Why not handles alone: Open MPI and MPICH return one handle for many small sends that are complete at once. The
// variable tells such requests apart. If the program has copied its handle elsewhere, nothing tells them apart, and the
// oldest is taken.
//
// The table has two states. At first there are slots and chains only. When a request is looked for by its handle for
// the first time, or a variable is used again before its request is complete, all entries go into chains and queues,
// and the slots are closed. The table stays in that state.
//
// The receive in an entry is counted when it completes, with the bytes that arrived.
//
// Knows no MPI: a handle, or the integer that stands for it, is 64 bits. Callers serialise, except for may_hold_…(),
// which any thread may call at any time.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/memory.hpp"
#include "request_table/pending_request.hpp"
#include "spool/layout.hpp"

namespace commprof {

class RequestTable {
 public:
  // Has the entries outlive the process, if there is a spool file. To be called before anything is inserted. owner: see
  // spool::Part.
  void keep_in_spool(std::uint32_t owner);

  // Takes a request into the table. False when memory is used up.
  [[gnu::always_inline]] bool insert(std::uint64_t handle, std::uint64_t variable, IssuedRequest const& request) {
    PendingRequest* entry = &slot_of(variable);
    if (entry->variable != vacant || variable == 0) [[unlikely]] {
      entry = place_beside(handle, variable);
      if (entry == nullptr) return false;
    }
    std::uint64_t const serial = inserted_ + 1;
    entry->set(request);
    entry->handle = handle;
    show(entry->variable, variable);
    show(entry->serial, serial);
    show(inserted_, serial);
    return true;
  }

  // The entry of the request that is stored in this variable, which is not 0, and has this handle, if it lies in its
  // slot; else nullptr.
  [[gnu::always_inline]] PendingRequest* in_slot(std::uint64_t handle, std::uint64_t variable) {
    PendingRequest& slot = slot_of(variable);
    return ((slot.variable ^ variable) | (slot.handle ^ handle)) == 0 ? &slot : nullptr;
  }
  // The entry of the request that is stored in this variable and has this handle, in its slot or beside; nullptr: none.
  PendingRequest* exact(std::uint64_t handle, std::uint64_t variable) {
    PendingRequest* const slot = variable != 0 ? in_slot(handle, variable) : nullptr;
    return slot != nullptr ? slot : exact_beside(handle, variable);
  }
  // The oldest entry of a handle; nullptr: none.
  PendingRequest* oldest(std::uint64_t handle);
  // exact(), else oldest(). Valid until it is removed.
  PendingRequest* find(std::uint64_t handle, std::uint64_t variable) {
    PendingRequest* const stored = exact(handle, variable);
    if (stored != nullptr) [[likely]]
      return stored;
    return oldest(handle);
  }

  // Takes an entry out of the table, wherever it lies.
  void erase(PendingRequest& entry) {
    if (is_slot(entry)) return erase_in_slot(entry);
    erase_beside(static_cast<Chained&>(entry));
    show(erased_, erased_ + 1);
  }
  // Takes an entry out of its slot.
  [[gnu::always_inline]] void erase_in_slot(PendingRequest& slot) {
    show(slot.variable, vacant);
    show(erased_, erased_ + 1);
  }
  // Takes the entry that find() would return out of the table. False if there is none.
  bool remove(std::uint64_t handle, std::uint64_t variable, PendingRequest& removed);

  // Replaces the handle of each entry; what is a replacement is to be left as it is.
  void replace_handles(std::uint64_t (*replacement)(std::uint64_t));

  // Whether exact() or oldest() may find something. What has been inserted before, by whatever thread, is never missed.
  bool may_hold_variable(std::uint64_t variable) const;
  bool may_hold_handle(std::uint64_t handle) const;

  // In no particular order, but the entries of one handle by age once one was looked for by its handle alone.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    if (size() == 0) return;
    if (queues_handles()) {
      for (std::size_t i = 0; i <= buckets_.mask; ++i)
        for (Chained const* entry = buckets_.handles[i].first; entry != nullptr; entry = entry->next_of_handle)
          visit(*entry);
      return;
    }
    for (PendingRequest const& slot : slots_)
      if (slot.variable != vacant) visit(slot);
    for (std::size_t i = 0; buckets_.mask != 0 && i <= buckets_.mask; ++i)
      for (Chained const* entry = buckets_.variables[i]; entry != nullptr; entry = entry->next_of_variable)
        visit(*entry);
  }
  std::size_t size() const { return inserted_ - erased_; }

  // An entry beside the slots, in up to two chains of entries with one bucket.
  struct Chained : PendingRequest {
    Chained* next_of_handle = nullptr;  // by handle, oldest first; also the free list
    Chained* previous_of_handle = nullptr;
    Chained* next_of_variable = nullptr;
  };

  // Whether pages in which there is an entry hold a request there.
  static bool holds(PendingRequest const& entry) { return entry.serial != 0 && entry.variable != closed; }
  static bool is_taken(PendingRequest const& slot) { return holds(slot) && slot.variable != vacant; }

 private:
  struct Chain {
    Chained* first;
    Chained* last;
  };
  struct Buckets {
    std::uint64_t mask = 0;
    Chain* handles = nullptr;
    Chained** variables = nullptr;  // the first of each chain

    static std::uint64_t hash(std::uint64_t key) { return key * 0x9E3779B97F4A7C15ULL >> 32; }
    Chain& of_handle(std::uint64_t handle) const { return handles[hash(handle) & mask]; }
    Chained*& of_variable(std::uint64_t variable) const { return variables[hash(variable) & mask]; }
  };

  // In a slot's variable: nothing is there; nothing may go there, since queues are kept.
  static constexpr std::uint64_t vacant = 0;
  static constexpr std::uint64_t closed = UINT64_MAX;
  static constexpr std::size_t slots = 1024;

  static_assert(std::has_single_bit(sizeof(PendingRequest)));

  PendingRequest& slot_of(std::uint64_t variable) {
    // slots_[variable / sizeof(int) % slots], in two instructions.
    std::uint64_t const offset =
        variable * (sizeof(PendingRequest) / sizeof(int)) & (slots - 1) * sizeof(PendingRequest);
    return *reinterpret_cast<PendingRequest*>(reinterpret_cast<std::byte*>(slots_) + offset);
  }
  PendingRequest const& slot_of(std::uint64_t variable) const {
    return const_cast<RequestTable&>(*this).slot_of(variable);
  }
  bool is_slot(PendingRequest const& entry) const {
    return reinterpret_cast<std::uintptr_t>(&entry) - reinterpret_cast<std::uintptr_t>(slots_) < sizeof slots_;
  }

  // Stores what other threads may be looking at.
  template <class Value>
  static void show(Value& place, Value value) {
    std::atomic_ref(place).store(value, std::memory_order_release);
  }
  template <class Value>
  static Value seen(Value const& place) {
    return std::atomic_ref(const_cast<Value&>(place)).load(std::memory_order_acquire);
  }

  bool queues_handles() const { return queues_handles_.load(std::memory_order_relaxed); }
  PendingRequest* place_beside(std::uint64_t handle, std::uint64_t variable);
  PendingRequest* exact_beside(std::uint64_t handle, std::uint64_t variable) const;
  Chained* in_chain(std::uint64_t variable) const;
  void erase_beside(Chained& entry);
  bool grow();
  Chained* new_entry();
  void index(Chained& entry);
  void displace(std::uint64_t variable);
  void unlink(Chained& entry);
  bool queue_all();
  static void queue(Buckets const& buckets, Chained& entry);
  static void push(Chained*& first, Chained& entry);

  std::uint64_t inserted_ = 0;
  std::uint64_t erased_ = 0;
  alignas(spool::page_bytes) PendingRequest slots_[slots]{};  // on pages of their own, which may move

  Buckets buckets_;
  Chained* free_ = nullptr;
  std::size_t chained_ = 0;
  std::atomic<bool> queues_handles_{false};
  // buckets_ for other threads. Buckets that were ever shown stay mapped.
  std::atomic<Buckets const*> shown_buckets_{nullptr};
  Arena<Chained, 8, 24> entries_;
};

}  // namespace commprof
