// The calls in which an instant lies, and what they await.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "calls/families.hpp"
#include "message_waits/streams.hpp"
#include "ops.hpp"

namespace commprof {

// The number of a message in its stream. A ticket stands for the number of a posted receive that has none yet.
struct MessageNumber {
  std::uint32_t value = Streams::no_number;
  bool is_ticket = false;

  bool is_known() const { return !is_ticket && value != Streams::no_number; }
};

// A message that a call awaits, or the receive of a message that it sends, or members of a communicator that are to
// enter a collective call.
struct Awaited {
  static constexpr Stamp no_lap{UINT32_MAX, 0};  // not known

  CommIndex comm = CommIndex::unknown;
  std::int32_t peer = 0;  // rank in the communicator; of members: the root, or StreamKey::everybody
  std::int32_t tag = 0;   // of members: what they share, a Joint
  WorldRank world_rank = WorldRank::elsewhere;  // of the peer
  std::uint32_t number = Streams::no_number;
  Way way = Way::in;
  bool is_ticket = false;  // number is a ticket
  Stamp lap = no_lap;      // since the event before of its stream
  // With a ticket: 1 + the index of the one before with this ticket, as of a loop of polls in which several instants
  // lie. 0: there is none.
  std::uint32_t before = 0;
  enum What : std::uint8_t {
    message,
    nothing,  // a message to or from MPI_PROC_NULL, or an inactive request
    other,    // something of which nothing is known
    members,  // that are to enter a collective call
  } what = message;

  bool is_of_members() const { return what == members; }
  WaitKind kind() const {
    if (is_of_members()) return WaitKind::collective;
    return way == Way::in ? WaitKind::late_sender : WaitKind::late_receiver;
  }
  StreamKey key() const {
    return is_of_members() ? StreamKey::of_members(comm, static_cast<calls::Joint>(tag))
                           : StreamKey::of(way, comm, peer, tag);
  }
  bool has_number() const { return !is_ticket && number != Streams::no_number; }
  bool is_known() const { return what == message && has_number(); }
};

// A call in which an instant lies. Without a message, it is one in which the process may wait for others: nobody knows
// for whom.
struct SpanningCall {
  static constexpr std::size_t most_awaited = 128;

  Ticks entry, exit;
  std::uint32_t first = 0;  // index of the first message that it awaits
  std::uint16_t count = 0;  // of these messages
  Op op{};
  ScopeIndex scope{};
  bool ends_with_any = false;  // ends as soon as one of them is there; else with the last one
  bool is_whole = true;        // false: it awaits more than are kept
  Stamp lap{};                 // until its entry, since the process was aligned with all others
  std::uint32_t aligned = 0;   // by which call: see Entry
};

}  // namespace commprof
