// The counts of calls: one record for each communicator, scope, operation and size class.
#pragma once

#include <bit>
#include <compare>
#include <cstdint>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/live.hpp"

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
  // The detail of calls in a pause, which have no record. Other keys in no_scope belong to calls that are left out.
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

}  // namespace commprof
