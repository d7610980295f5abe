// The pending requests of a thread. Each has an entry, a PendingRequest, which keeps what was known when the request
// was issued. The table looks an entry up by the address of the program's MPI_Request variable and by the handle in it:
//
//   variable ──► slot     slots_[address / 4 % 1024], a cache line: nearly all requests, in two instructions
//        └─────► chain    of a hash bucket: entries whose slot was taken
//   handle ────► queue    of a hash bucket: the oldest entry first
//
// Adjacent requests of an array have different slots: 1024 handles of 4 bytes, 512 of 8 bytes.
//
// Why not by handle alone: Open MPI and MPICH return one handle for many small sends that complete immediately. Only
// their variables distinguish these requests. If the program has copied the handle elsewhere, the oldest entry of the
// handle is taken.
//
// A queue costs time at each request, so a table begins open, without queues. It becomes closed, for good, when only a
// queue can find an entry: a look-up matches no variable, or a request is inserted whose variable already has an entry.
//
//               open                              closed
//   slots       A in slot 3, B in slot 7          all marked closed, so that none is ever used again
//   chains      C, whose slot A has taken         A, B, C, unless the variable has got another request since
//   queues      unused                            A, B, C: every entry
//
// A request whose variable has got another one is displaced: only its handle leads to it. If it completes where no
// wrapper sees it, as in a layer that calls PMPI, it would stay for ever. So of too many displaced requests the older
// half is given up.
//
// A handle is 64 bits here, or an integer key in its place (requests.hpp): the table does not know MPI.
// Callers serialise, except for may_hold_…(), which any thread may call at any time.
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
  // Moves the table into the spool file, if there is one, so that entries outlive the process. Call it before the first
  // insert(). owner: see spool::Part.
  void keep_in_spool(std::uint32_t owner);

  // request.since: tells which entry of a handle is the oldest. False when memory is used up.
  [[gnu::always_inline]] bool insert(std::uint64_t handle, std::uint64_t variable, IssuedRequest const& request) {
    PendingRequest* entry = &slot_of(variable);
    if (entry->variable != vacant) [[unlikely]] {
      entry = place_beside(handle, variable);
      if (entry == nullptr) return false;
    }
    entry->set(request);
    entry->handle = handle;
    show(entry->variable, variable);
    show(entry->since, request.since);
    show(inserted_, inserted_ + 1);
    return true;
  }

  // The look-ups return an entry, or nullptr if there is none. The pointer is valid until the entry is erased or the
  // table becomes closed, which moves entries out of their slots.

  // The entry with this variable and this handle, if it is in its slot.
  [[gnu::always_inline]] PendingRequest* in_slot(std::uint64_t handle, std::uint64_t variable) {
    PendingRequest& slot = slot_of(variable);
    return ((slot.variable ^ variable) | (slot.handle ^ handle)) == 0 ? &slot : nullptr;
  }
  // The entry with this variable and this handle, in its slot or in a chain.
  PendingRequest* exact(std::uint64_t handle, std::uint64_t variable) {
    PendingRequest* const slot = in_slot(handle, variable);
    return slot != nullptr ? slot : exact_beside(handle, variable);
  }
  // The oldest entry of a handle. Its first search among entries closes the table.
  PendingRequest* oldest(std::uint64_t handle);
  // exact(), else oldest().
  PendingRequest* find(std::uint64_t handle, std::uint64_t variable) {
    PendingRequest* const stored = exact(handle, variable);
    if (stored != nullptr) [[likely]]
      return stored;
    return oldest(handle);
  }

  void erase(PendingRequest& entry) {
    if (is_slot(entry)) return erase_in_slot(entry);
    erase_beside(static_cast<Chained&>(entry));
    show(erased_, erased_ + 1);
  }
  // erase() of an entry that is in its slot.
  [[gnu::always_inline]] void erase_in_slot(PendingRequest& slot) {
    show(slot.variable, vacant);
    show(erased_, erased_ + 1);
  }

  // Replaces the handle of each entry. May call replacement() on its own result, which it must return unchanged.
  void replace_handles(std::uint64_t (*replacement)(std::uint64_t));

  // Whether exact() or oldest() may find an entry. Often true without one, never false for an entry that any thread has
  // inserted before.
  bool may_hold_variable(std::uint64_t variable) const;
  bool may_hold_handle(std::uint64_t handle) const;

  static constexpr std::size_t most_displaced = std::size_t{1} << 18;  // MPICH cannot have more requests at once

  // In no particular order, but in a closed table the oldest entry of a handle first.
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

  // An entry outside the slots: in a chain, in a queue or in both.
  struct Chained : PendingRequest {
    Chained* next_of_handle = nullptr;  // in the queue; of a free entry, in the list of free ones
    Chained* previous_of_handle = nullptr;
    Chained* next_of_variable = nullptr;
  };

  // Whether an entry in the spool is that of a request; is_taken(): for a slot. Free slots keep their time.
  static bool holds(PendingRequest const& entry) { return entry.since.count != 0 && entry.variable != closed; }
  static bool is_taken(PendingRequest const& slot) { return holds(slot) && slot.variable != vacant; }

 private:
  struct Chain {
    Chained* first;
    Chained* last;
  };
  struct Buckets {
    std::uint64_t mask = 0;
    Chain* handles = nullptr;
    Chained** variables = nullptr;  // by bucket: the first entry of its chain

    static std::uint64_t hash(std::uint64_t key) { return key * 0x9E3779B97F4A7C15ULL >> 32; }
    Chain& of_handle(std::uint64_t handle) const { return handles[hash(handle) & mask]; }
    // Variables that lie one behind the other have buckets that do so: a program that posts an array of requests would
    // else miss the cache at each.
    Chained*& of_variable(std::uint64_t variable) const {
      return variables[(variable / sizeof(int) + hash(variable >> 12)) & mask];
    }
  };

  // The variable of a slot: free, or never to be used again because the table is closed.
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

  // For the members that may_hold_…() reads in other threads.
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
  void give_up_displaced();
  void unlink(Chained& entry);
  bool queue_all();
  static void queue(Buckets const& buckets, Chained& entry);
  static void push(Chained*& first, Chained& entry);

  std::uint64_t inserted_ = 0;
  std::uint64_t erased_ = 0;
  alignas(spool::page_bytes) PendingRequest slots_[slots]{};  // whole pages, for spool::move()

  Buckets buckets_;
  Chained* free_ = nullptr;
  std::size_t chained_ = 0;
  std::size_t displaced_ = 0;  // entries without a variable
  std::atomic<bool> queues_handles_{false};
  // buckets_ for other threads. They may still read the buckets before, which are never unmapped.
  std::atomic<Buckets const*> shown_buckets_{nullptr};
  Arena<Chained, 8, 24> entries_;
};

}  // namespace commprof
