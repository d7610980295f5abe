// The facts about a request until it completes: the issuing call, its communicator, and what to count then.
#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/memory.hpp"
#include "counters/counters.hpp"
#include "message_waits/streams.hpp"

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

}  // namespace commprof
