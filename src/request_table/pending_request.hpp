// The facts about a request until it completes: the issuing call, its communicator, and what to count then.
#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "counters/counters.hpp"

namespace commprof {

// The facts known when a request is issued.
struct IssuedRequest {
  Ticks issue_time{};  // how long the issuing call took
  Volume known{};      // bytes known now, of a receive or of one start of a persistent request, without what arrives;
                       // use bytes(): takes and gives store other numbers here
  RecordKey key{};     // key of the issuing call, without its size
  std::uint32_t traits = 0;
  std::uint32_t link = 0;  // see start(), destination() and shown_rank()
  Ticks since{};           // the end of the call that issued it or, if it is persistent, started it

  // Traits.
  static constexpr std::uint32_t receiving = 1;   // the call is counted at completion, with what arrived
  static constexpr std::uint32_t persistent = 2;  // stays in the table until it is freed
  static constexpr std::uint32_t cancelled = 4;   // MPI_Cancel was called on it
  static constexpr std::uint32_t seen = 8;        // a receive known to be complete: known includes what arrived
  static constexpr std::uint32_t takes = 16;      // receives a message: known.sent is its tag and its number
  static constexpr std::uint32_t gives = 32;      // sends a message: known.received is its tag and its number
  static constexpr std::uint32_t ticket = 64;     // the number of a received message is a ticket: see MessageWaits
  static constexpr unsigned peer_shift = 12;      // the other bits: the peer of a message
  static constexpr std::uint32_t some_peer = UINT32_MAX >> peer_shift;  // its rank is not known
  bool receives() const { return (traits & receiving) != 0; }
  bool is_persistent() const { return (traits & persistent) != 0; }
  bool is_cancelled() const { return (traits & cancelled) != 0; }
  bool is_seen() const { return (traits & seen) != 0; }
  bool takes_message() const { return (traits & takes) != 0; }
  bool gives_message() const { return (traits & gives) != 0; }
  bool has_ticket() const { return (traits & ticket) != 0; }

  // The bytes known now.
  Volume bytes() const { return {takes_message() ? 0 : known.sent, gives_message() ? 0 : known.received}; }

  // A message: its peer, its tag, and its number or ticket.
  void set_peer(std::uint32_t peer) { traits = (traits & ~(some_peer << peer_shift)) | peer << peer_shift; }
  std::uint32_t peer() const { return traits >> peer_shift; }
  static constexpr std::uint64_t with_tag(std::int32_t tag, std::uint32_t number) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(tag)) << 32 | number;
  }
  static constexpr std::uint32_t no_message = UINT32_MAX - 1;  // a number: the other process is MPI_PROC_NULL
  // Whether a request that is not persistent, or whose messages are numbered, has begun and has not completed.
  bool is_active() const {
    if (!is_persistent()) return true;
    if (takes_message()) return number_of(known.sent) < no_message;
    return gives_message() && number_of(known.received) < no_message;
  }
  // Whether it counts among the pending ones: it has begun, and is not known to be complete.
  bool is_pending() const { return is_counted() && !is_seen() && is_active(); }
  static constexpr std::int32_t tag_of(std::uint64_t pair) { return static_cast<std::int32_t>(pair >> 32); }
  static constexpr std::uint32_t number_of(std::uint64_t pair) { return static_cast<std::uint32_t>(pair); }

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

  // For other requests: the rank in the communicator that the program passed; -1 if none.
  std::int32_t shown_rank() const { return static_cast<std::int32_t>(link); }

  CommIndex comm() const { return key.comm(); }
  bool is_counted() const { return !key.is_of_nothing(); }

 private:
  static constexpr std::uint32_t rank_offset = 2;  // so that link is not 0 for WorldRank::elsewhere (-1) either
};

struct PendingRequest : IssuedRequest {
  std::uint64_t handle = 0;
  std::uint64_t variable = 0;  // the address that MPI stored the handle at; 0 once another was stored there
};

}  // namespace commprof
