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
// A handle is 64 bits here, or an integer key in its place (requests.hpp): the table does not know MPI. Callers
// serialise.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/memory.hpp"
#include "counters/counters.hpp"
#include "message_waits/streams.hpp"
#include "spool/layout.hpp"

namespace commprof {

// The facts known when a request is issued.
//
// A request may send a message, receive one, or do both (MPI_Isendrecv). So whoever asks for a rank, a tag or a number
// says of which of its messages: by the way.
struct IssuedRequest {
  Ticks issue_time{};  // how long the issuing call took
  Volume known{};      // bytes known now, of a receive or of one start of a persistent request, without what arrives;
                       // use bytes(): takes and gives store other numbers here
  RecordKey key{};     // key of the issuing call, without its size
  std::uint32_t traits = 0;
  std::uint32_t link = 0;  // see rank(), start() and destination()
  Ticks since{};           // the end of the call that issued it or, if it is persistent, started it

  // Traits.
  static constexpr std::uint32_t receiving = 1;   // the call is counted at completion, with what arrived
  static constexpr std::uint32_t persistent = 2;  // stays in the table until it is freed
  static constexpr std::uint32_t cancelled = 4;   // MPI_Cancel was called on it
  static constexpr std::uint32_t seen = 8;        // a receive known to be complete: known includes what arrived
  static constexpr std::uint32_t takes = 16;      // receives a message: known.sent is its tag and its number
  static constexpr std::uint32_t gives = 32;      // sends a message: known.received is its tag and its number
  static constexpr std::uint32_t ticket = 64;     // the number of a received message is a ticket: see MessageWaits
  static constexpr std::uint32_t joins = 128;     // a collective call: set_members()
  static constexpr unsigned rank_shift = 8;       // the other bits: see rank()
  bool receives() const { return (traits & receiving) != 0; }
  bool is_persistent() const { return (traits & persistent) != 0; }
  bool is_cancelled() const { return (traits & cancelled) != 0; }
  bool is_seen() const { return (traits & seen) != 0; }
  bool has_ticket() const { return (traits & ticket) != 0; }

  // The bytes known now.
  Volume bytes() const { return {has_message(Way::in) ? 0 : known.sent, has_message(Way::out) ? 0 : known.received}; }

  // The rank in the communicator that the program passed as the source or the destination, also if that is no process.
  // Calls without such a parameter have a rank that means nothing.
  std::int32_t rank(Way way) const {
    bool const is_in_link = way == Way::out && !is_persistent();
    return is_in_link ? static_cast<std::int32_t>(link) : static_cast<std::int32_t>(traits) >> rank_shift;
  }
  void set_ranks(std::int32_t source, std::int32_t dest) {
    set_only_rank(source);
    link = static_cast<std::uint32_t>(dest);
  }
  // For a persistent request, which has one message.
  void set_only_rank(std::int32_t rank) { traits |= static_cast<std::uint32_t>(rank) << rank_shift; }

  // A message whose tag and number, or ticket, are known.
  bool has_message(Way way) const { return (traits & (way == Way::in ? takes : gives)) != 0; }
  std::int32_t tag(Way way) const { return static_cast<std::int32_t>(pair(way) >> 32); }
  std::uint32_t number(Way way) const { return static_cast<std::uint32_t>(pair(way)); }
  void set_message(Way way, std::int32_t tag, std::uint32_t number) {
    traits |= way == Way::in ? takes : gives;
    pair(way) = static_cast<std::uint64_t>(static_cast<std::uint32_t>(tag)) << 32 | number;
  }
  // A collective call awaits its root, or all members if that is negative. It has no messages, so their places are
  // free.
  bool awaits_members() const { return (traits & joins) != 0; }
  void set_members(std::int32_t root, calls::Joint joint, std::uint32_t number) {
    traits |= joins;
    link = static_cast<std::uint32_t>(joint);
    set_message(Way::in, root, number);
  }
  std::int32_t root() const { return tag(Way::in); }
  calls::Joint joint() const { return static_cast<calls::Joint>(link); }
  void set_number(Way way, std::uint32_t number) { set_message(way, tag(way), number); }
  static constexpr std::uint32_t no_message = UINT32_MAX - 1;  // a number: the other process is MPI_PROC_NULL
  // Whether a request that is not persistent, or whose messages are numbered, has begun and has not completed.
  bool is_active() const {
    if (!is_persistent()) return true;
    if (has_message(Way::in)) return number(Way::in) < no_message;
    return has_message(Way::out) && number(Way::out) < no_message;
  }
  // Whether it counts among the pending ones: it has begun, and is not known to be complete.
  bool is_pending() const { return is_counted() && !is_seen() && is_active(); }

  // Copies all but `since`, member by member: GCC would build the whole struct on the stack and load it back before the
  // stores can be forwarded.
  [[gnu::always_inline]] void set(IssuedRequest const& request) {
    issue_time = request.issue_time;
    known.sent = request.known.sent;
    known.received = request.known.received;
    key = request.key;
    traits = request.traits;
    link = request.link;
  }
  // For a persistent receive: index + 1 of the call that started it; 0 if inactive.
  std::uint32_t start() const { return receives() ? link : 0; }
  void set_start(std::uint32_t index) { link = index; }
  // For a persistent send: its destination, if that is a process.
  bool has_destination() const { return (traits & (persistent | receiving)) == persistent && link != 0; }
  WorldRank destination() const { return static_cast<WorldRank>(static_cast<std::int32_t>(link - rank_offset)); }
  void set_destination(WorldRank rank) { link = static_cast<std::uint32_t>(rank) + rank_offset; }

  CommIndex comm() const { return key.comm(); }
  bool is_counted() const { return !key.is_of_nothing(); }

 private:
  std::uint64_t const& pair(Way way) const { return way == Way::in ? known.sent : known.received; }
  std::uint64_t& pair(Way way) { return way == Way::in ? known.sent : known.received; }

  static constexpr std::uint32_t rank_offset = 2;  // so that link is not 0 for WorldRank::elsewhere (-1) either
};

struct PendingRequest : IssuedRequest {
  std::uint64_t handle = 0;
  std::uint64_t variable = 0;  // the address that MPI stored the handle at; 0 once another was stored there
};

// Calls of MPI_Start and MPI_Startall that started receives. Such a call is counted when the last of its receives has
// completed, because only then the number of bytes is known. There is an entry for each communicator of the call.
// Callers serialise.
struct StartedCall {
  RecordKey key{};              // of the call, without its size
  std::uint32_t receives = 0;   // receives that have not completed yet; 0: the entry is free
  std::uint32_t next_free = 0;  // index + 1
  Volume volume{};              // moved so far
  Ticks time{};                 // this communicator's share of the call
};

class StartedCalls {
 public:
  // Index + 1 of an entry for the call, or 0 when memory is used up.
  std::uint32_t add(StartedCall const& call) {
    std::uint32_t index = free_;
    if (index != 0) {
      free_ = calls_[index - 1].next_free;
      calls_[index - 1] = call;
      return index;
    }
    StartedCall* const added = calls_.append();
    if (added == nullptr) return 0;
    *added = call;
    return static_cast<std::uint32_t>(calls_.size());
  }

  // One of the call's receives has completed. True if it was the last: the caller counts the call, whose entry is free
  // now.
  bool receive_completed(std::uint32_t index, std::uint64_t arrived, StartedCall& call) {
    StartedCall& entry = calls_[index - 1];
    entry.volume.received += arrived;
    if (--entry.receives > 0) return false;
    call = entry;
    entry.next_free = free_;
    free_ = index;
    return true;
  }

  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for (std::size_t i = 0; i < calls_.size(); ++i)
      if (calls_[i].receives > 0) visit(calls_[i]);
  }

 private:
  std::uint32_t free_ = 0;
  Arena<StartedCall, 6, 26> calls_{spool::Part{spool::Kind::started_calls}};
};

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
    entry->variable = variable;
    entry->since = request.since;
    ++size_;
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
    --size_;
  }
  // erase() of an entry that is in its slot.
  [[gnu::always_inline]] void erase_in_slot(PendingRequest& slot) {
    slot.variable = vacant;
    --size_;
  }

  // Replaces the handle of each entry. May call replacement() on its own result, which it must return unchanged.
  void replace_handles(std::uint64_t (*replacement)(std::uint64_t));

  static constexpr std::size_t most_displaced = std::size_t{1} << 18;  // MPICH cannot have more requests at once

  // In no particular order, but in a closed table the oldest entry of a handle first.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    if (size() == 0) return;
    if (queues_handles_) {
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
  std::size_t size() const { return size_; }

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
  bool is_slot(PendingRequest const& entry) const {
    return reinterpret_cast<std::uintptr_t>(&entry) - reinterpret_cast<std::uintptr_t>(slots_) < sizeof slots_;
  }

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
  void leave_chain(Chained& entry);
  bool queue_all();
  static void queue(Buckets const& buckets, Chained& entry);
  static void push(Chained*& first, Chained& entry);

  std::size_t size_ = 0;
  alignas(spool::page_bytes) PendingRequest slots_[slots]{};  // whole pages, for spool::move()

  Buckets buckets_;
  Chained* free_ = nullptr;
  std::size_t chained_ = 0;
  std::size_t displaced_ = 0;  // entries without a variable
  bool queues_handles_ = false;
  Arena<Chained, 8, 24> entries_;
};

}  // namespace commprof
