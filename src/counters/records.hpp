// The counts of a process, plain data: a record for each communicator, scope, operation and size class, and one for
// each peer that a thread has used.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/index.hpp"
#include "base/live.hpp"
#include "base/memory.hpp"

namespace commprof {

// Bytes that one call moved on this process.
struct Volume {
  std::uint64_t sent = 0;
  std::uint64_t received = 0;

  std::uint64_t total() const { return sent + received; }
};

constexpr SizeBin size_bin(std::uint64_t bytes) {
  constexpr int last = 63;
  if (bytes >> last != 0) [[unlikely]]
    return static_cast<SizeBin>(last);
  return static_cast<SizeBin>(std::bit_width(bytes << 1 | 1) - 1);  // odd, so that 0 needs no case of its own
}

// The inclusive bounds, in bytes, of the sizes in a bin.
constexpr std::uint64_t smallest_of(SizeBin bin) {
  auto const width = static_cast<unsigned>(bin);
  return width == 0 ? 0 : std::uint64_t{1} << (width - 1);
}
constexpr std::uint64_t largest_of(SizeBin bin) {
  auto const width = static_cast<unsigned>(bin);
  return width == 0 ? 0 : width == 63 ? UINT64_MAX : (std::uint64_t{1} << width) - 1;
}

// Orders records by communicator, scope, operation, size: the order of the rows of a process in the profile.
struct RecordKey {
  std::uint64_t packed = 0;

  static constexpr unsigned bin_bits = 6;
  // The highest bit of the operation marks calls that did not end. Only readers of a spool set it.
  static constexpr unsigned op_bits = 10;
  static constexpr unsigned scope_bits = 16;

  static constexpr RecordKey of(CommIndex comm, ScopeIndex scope, Op op, SizeBin bin) {
    return {static_cast<std::uint64_t>(comm) << (scope_bits + op_bits + bin_bits) |
            static_cast<std::uint64_t>(scope) << (op_bits + bin_bits) | static_cast<std::uint64_t>(op) << bin_bits |
            static_cast<std::uint64_t>(bin)};
  }
  // The detail of a key: scope, operation and size class. The key is the detail and the communicator.
  static constexpr std::uint32_t detail_of(ScopeIndex scope, Op op, SizeBin bin) {
    return static_cast<std::uint32_t>(of(CommIndex{}, scope, op, bin).packed);
  }
  static constexpr RecordKey of(CommIndex comm, std::uint32_t detail) {
    return {static_cast<std::uint64_t>(comm) << (scope_bits + op_bits + bin_bits) | detail};
  }
  // The part of a detail that is not the scope.
  static constexpr std::uint16_t kind_of(Op op, SizeBin bin) {
    return static_cast<std::uint16_t>(detail_of(ScopeIndex::main, op, bin));
  }
  constexpr std::uint16_t kind() const { return static_cast<std::uint16_t>(packed); }
  static_assert(op_bits + bin_bits == 16);
  // The detail of calls in a pause, which have no record.
  static constexpr std::uint32_t of_nothing = UINT32_MAX;
  constexpr bool is_of_nothing() const { return scope() == no_scope; }

  static constexpr std::uint64_t unfinished_bit = std::uint64_t{1} << (op_bits + bin_bits - 1);
  constexpr RecordKey unfinished() const { return {packed | unfinished_bit}; }
  constexpr bool is_unfinished() const { return (packed & unfinished_bit) != 0; }

  constexpr RecordKey without_size() const { return {packed & ~((std::uint64_t{1} << bin_bits) - 1)}; }
  // Must be called on a key without size.
  constexpr RecordKey with(SizeBin bin) const { return {packed | static_cast<std::uint64_t>(bin)}; }

  constexpr CommIndex comm() const { return static_cast<CommIndex>(packed >> (scope_bits + op_bits + bin_bits)); }
  constexpr ScopeIndex scope() const { return static_cast<ScopeIndex>(packed >> (op_bits + bin_bits)); }
  constexpr Op op() const { return static_cast<Op>(packed >> bin_bits & ((1U << (op_bits - 1)) - 1)); }
  constexpr SizeBin bin() const { return static_cast<SizeBin>(packed & ((1U << bin_bits) - 1)); }

  friend constexpr auto operator<=>(RecordKey, RecordKey) = default;
  constexpr std::uint64_t index_bits() const { return ~packed; }
};

// The duration of a call and its end.
struct Interval {
  Ticks elapsed;
  Ticks end;

  constexpr Interval(Ticks how_long, Ticks until) : elapsed(how_long), end(until) {}
};

// One thread at a time adds to a record, any thread may copy it at any time. The key does not change.
struct alignas(64) Record {  // one cache line
  RecordKey key;
  std::uint64_t calls;
  Volume bytes;
  Ticks time;
  Ticks shortest{UINT64_MAX};
  Ticks longest;
  Ticks last;  // end of the latest call that was added with its Interval

  [[gnu::always_inline]] void add(Volume volume, Ticks elapsed) {
    if (elapsed.count < live::own(shortest.count)) live::set(shortest.count, elapsed.count);
    if (elapsed.count > live::own(longest.count)) live::set(longest.count, elapsed.count);
    live::add_if_any(bytes.sent, volume.sent);
    live::add_if_any(bytes.received, volume.received);
    live::add(time.count, elapsed.count);
    live::add_last(calls, 1);
  }
  [[gnu::always_inline]] void add(Volume volume, Interval interval) {
    live::set(last.count, interval.end.count);
    add(volume, interval.elapsed);
  }
  // Safe while a thread adds: the copy has all of its calls and perhaps a part of one more. add() stores `calls` last
  // and copy() loads it first, so the shortest and longest are valid if calls > 0.
  Record copy() const {
    std::uint64_t const calls_until_now = live::read(calls);
    return {.key = key,
            .calls = calls_until_now,
            .bytes = {live::read(bytes.sent), live::read(bytes.received)},
            .time = {live::read(time.count)},
            .shortest = {live::read(shortest.count)},
            .longest = {live::read(longest.count)},
            .last = {live::read(last.count)}};
  }
  void merge(Record const& other) {
    if (other.calls == 0) return;
    if (other.shortest < shortest) shortest = other.shortest;
    if (other.longest > longest) longest = other.longest;
    if (other.last > last) last = other.last;
    calls += other.calls;
    bytes.sent += other.bytes.sent;
    bytes.received += other.bytes.received;
    time += other.time;
  }
};

// A rank in MPI_COMM_WORLD.
enum class WorldRank : std::int32_t {
  unknown = -2,    // not translated yet
  elsewhere = -1,  // stands for all processes of other worlds
  unwanted = -3,   // the rank of unwanted_peer
};

// The cause of data that moved between two processes.
enum class MessageClass : std::uint8_t {
  p2p,       // counted at the sender
  rma,       // one-sided: counted at the origin, whichever way the data go
  internal,  // sent by the MPI for the operation that the key names
  network,   // what the MPI gave to its transport, whatever for; the key has no communicator but MPI_COMM_WORLD
  count_
};

// The other process of a message: its rank in the communicator (in the remote group of an intercommunicator); or its
// world rank, if the communicator's record is folded or the wrapper lacks the communicator's handle.
class Peer {
 public:
  static constexpr Peer in_comm(int rank, MessageClass message_class, bool is_source = false) {
    return Peer(static_cast<std::uint32_t>(rank), message_class, is_source, false);
  }
  static constexpr Peer in_world(WorldRank rank, MessageClass message_class, bool is_source = false) {
    return Peer(static_cast<std::uint32_t>(rank), message_class, is_source, true);
  }

  constexpr int rank() const { return static_cast<int>(static_cast<std::uint32_t>(packed_)); }
  constexpr bool is_in_world() const { return (packed_ >> 32 & 1) != 0; }
  // Whether data come from the peer, as in MPI_Get; otherwise they go to it.
  constexpr bool is_source() const { return (packed_ >> 33 & 1) != 0; }
  constexpr MessageClass message_class() const { return static_cast<MessageClass>(packed_ >> 34 & 3); }
  // The size of the call that an internal message was sent for; no_size for other messages, and if it is unknown.
  constexpr SizeBin size_of_call() const { return static_cast<SizeBin>((packed_ >> 36) - 1); }
  constexpr Peer for_call_of(SizeBin size) const {
    Peer peer = *this;
    peer.packed_ = (packed_ & ((std::uint64_t{1} << 36) - 1)) |
                   static_cast<std::uint64_t>(static_cast<std::uint8_t>(static_cast<unsigned>(size) + 1)) << 36;
    return peer;
  }
  constexpr std::uint64_t packed() const { return packed_; }

  friend constexpr bool operator==(Peer, Peer) = default;

 private:
  constexpr Peer(std::uint32_t rank, MessageClass message_class, bool is_source, bool is_in_world)
      : packed_(static_cast<std::uint64_t>(message_class) << 34 | static_cast<std::uint64_t>(is_source) << 33 |
                static_cast<std::uint64_t>(is_in_world) << 32 | rank) {}

  std::uint64_t packed_;
};

// The operation in the key of all messages but internal ones, which are counted for each operation.
inline constexpr Op no_op{};

// One thread at a time adds to a record; any thread may copy it at any time. Key, peer and world rank do not change.
struct PeerRecord {
  RecordKey key{};  // the size is that of a message
  Peer peer = Peer::in_comm(0, MessageClass::p2p);
  WorldRank world_rank = WorldRank::unknown;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  [[gnu::always_inline]] void add(std::uint64_t size) {
    live::add(bytes, size);
    live::add_last(messages, 1);
  }
  // Safe while a thread adds: the copy has at least the bytes of its messages, and perhaps those of one being added.
  PeerRecord copy() const {
    std::uint64_t const messages_until_now = live::read(messages);  // first
    return {
        .key = key, .peer = peer, .world_rank = world_rank, .messages = messages_until_now, .bytes = live::read(bytes)};
  }
  void merge(PeerRecord const& other) {
    messages += other.messages;
    bytes += other.bytes;
  }
};

// Counts the messages to each peer: one record for each communicator, region, message class, peer, direction and size
// class that a thread has used. Memory grows with the number of peers used, not with the number of processes.
//
// A thread's table has a small direct-mapped cache of pointers to the records used lately, and an open-addressed index
// of all records.
class PeerTable {
 public:
  void keep_as(spool::Part part) { records_.keep_as(part); }

  // The record if it was used lately, else nullptr.
  [[gnu::always_inline]] PeerRecord* recall(RecordKey key, Peer peer) const {
    PeerRecord* const recent = recent_[hash(key, peer) >> (64 - recent_bits)];
    if (recent == nullptr || ((recent->key.packed ^ key.packed) | (recent->peer.packed() ^ peer.packed())) != 0)
        [[unlikely]]
      return nullptr;
    return recent;
  }
  // The record, which is made at its first use. Only then is world_rank() called. nullptr when memory is used up.
  template <class AskWorldRank>
  PeerRecord* find_or_insert(RecordKey key, Peer peer, AskWorldRank&& world_rank) {
    PeerRecord* const known = find(key, peer);
    return known != nullptr ? known : insert(key, peer, world_rank());
  }

  // Calls visit(copy) for each record, in the order in which they were made. Any thread may, at any time.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for (std::size_t i = 0, n = records_.size(); i < n; ++i) visit(records_[i].copy());
  }

 private:
  static constexpr unsigned recent_bits = 8;

  static std::uint64_t hash(RecordKey key, Peer peer) {
    return (key.packed ^ std::rotl(peer.packed(), 20)) * 0x9E3779B97F4A7C15ULL;
  }
  PeerRecord* find(RecordKey key, Peer peer);
  PeerRecord* insert(RecordKey key, Peer peer, WorldRank world_rank);

  PeerRecord* recent_[std::size_t{1} << recent_bits]{};
  Index<std::uint64_t, PeerRecord*, IndexByHash> index_;
  Arena<PeerRecord, 6, 26> records_;
};

}  // namespace commprof
