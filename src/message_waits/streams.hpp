// What a process counts while it runs, so that the waiting for messages can be found out when the run has ended: the
// messages of each stream, the instants of the run, and the requests that are pending at these. Does not know MPI.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "base/clock.hpp"
#include "base/hash.hpp"
#include "base/ids.hpp"
#include "base/index.hpp"
#include "base/kept_vector.hpp"
#include "calls/call_table.hpp"
#include "counters/counters.hpp"

namespace commprof {

// Whether a hash is among one in 2^level of all.
constexpr bool is_below(std::uint64_t hash, unsigned level) {
  return level == 0 || (level < 64 && hash >> (64 - level) == 0);
}

enum class Way : std::uint8_t { out, in };

// Identifies a stream of this process; 0: none.
struct StreamKey {
  std::uint64_t packed = 0;

  static constexpr unsigned tag_bits = 31, peer_bits = 20, comm_bits = 12;
  static_assert(1 + comm_bits + peer_bits + tag_bits == 64);

  // peer: the rank that a message of the communicator goes to or comes from. Negative ranks and tags, which are not
  // those of a message, and numbers beyond the bits have no key.
  [[gnu::always_inline]] static constexpr StreamKey of(Way way, CommIndex comm, std::int32_t peer, std::int32_t tag) {
    auto const rank = static_cast<std::uint32_t>(peer), index = static_cast<std::uint32_t>(comm);
    if (rank >= static_cast<std::uint32_t>(everybody) || tag < 0 || index >= (1U << comm_bits) - 1) [[unlikely]]
      return {};
    return {packed_of(way, index, rank, static_cast<std::uint32_t>(tag))};
  }
  // The collective calls on a communicator, or on its windows or files: a stream that all members send to all.
  [[gnu::always_inline]] static constexpr StreamKey of_members(CommIndex comm, calls::Joint joint) {
    auto const index = static_cast<std::uint32_t>(comm);
    if (index >= (1U << comm_bits) - 1) [[unlikely]]
      return {};
    return {packed_of(Way::out, index, everybody, static_cast<std::uint32_t>(joint))};
  }
  // Stands for all that a process receives on a communicator. It has no messages, and may be in doubt.
  [[gnu::always_inline]] static constexpr StreamKey of_receives(CommIndex comm) {
    StreamKey const one = of_members(comm, {});
    return {one ? one.packed | std::uint64_t{1} << 63 : 0};
  }
  constexpr bool is_of_members() const { return peer() == everybody; }
  constexpr explicit operator bool() const { return packed != 0; }
  constexpr std::uint64_t index_bits() const { return packed; }
  constexpr Way way() const { return static_cast<Way>(packed >> 63); }
  constexpr CommIndex comm() const {
    return static_cast<CommIndex>((packed >> (peer_bits + tag_bits) & ((1U << comm_bits) - 1)) - 1);
  }
  constexpr std::int32_t peer() const {
    return static_cast<std::int32_t>(packed >> tag_bits & ((1U << peer_bits) - 1));
  }
  constexpr std::int32_t tag() const { return static_cast<std::int32_t>(packed & ((1U << tag_bits) - 1)); }
  friend constexpr bool operator==(StreamKey, StreamKey) = default;

  static constexpr std::int32_t everybody = (1 << peer_bits) - 1;  // in place of a peer

 private:
  [[gnu::always_inline]] static constexpr std::uint64_t packed_of(Way way, std::uint32_t comm, std::uint64_t peer,
                                                                  std::uint32_t tag) {
    return static_cast<std::uint64_t>(way) << 63 | (std::uint64_t{comm} + 1) << (peer_bits + tag_bits) |
           peer << tag_bits | tag;
  }
};

// A moment of a thread: the time, and how much of it was outside MPI, both modulo 2^32 in units of 1,024 ticks.
struct Stamp {
  std::uint32_t at = 0, outside = 0;

  static constexpr unsigned shift = 10;
  static constexpr Stamp of(Ticks at, Ticks outside) {
    return {static_cast<std::uint32_t>(at.count >> shift), static_cast<std::uint32_t>(outside.count >> shift)};
  }
  // The time since an earlier moment, and the part of it outside MPI.
  constexpr Stamp since(Stamp earlier) const { return {at - earlier.at, outside - earlier.outside}; }
};

struct Stream {
  static constexpr std::uint32_t unknown = UINT32_MAX;  // a label: the count is wrong

  std::uint32_t count = 0;  // messages so far
  std::uint32_t label = 0;  // of the latest instant with an entry in the log
  Stamp stamps[2];          // of the latest two messages: of number n, the one at n % 2
};

// Counts the messages of each stream: those of one communicator, direction, peer and tag.
//
// MPI keeps the order of a stream's messages: message n of the sender is message n of the receiver. So both processes
// number them alike without a message. All members of a communicator make its collective calls in one order: these are
// a stream, too, in which each member's entry is what the others wait for.
//
// The table doubles until it has the most streams; then it is thinned, if these have many tags. Once several threads
// may call MPI, it does not change its size. Streams that find no room are not counted.
class Streams {
 public:
  static constexpr std::uint32_t no_number = UINT32_MAX;
  static constexpr std::size_t most = 65536;                // streams
  static constexpr std::size_t slots_with_threads = 16384;  // for up to half as many streams

  // Which streams are kept: those of one tag in 2^tag_level. A reader of the spool needs it, too.
  struct Choice {
    std::uint32_t tag_level = 0;
    std::uint32_t is_changing = 0;  // the table is being rebuilt

    bool keeps(StreamKey key) const;
  };

  // choice: where to store the choice.
  bool begin(Choice& choice);
  // For the reader, in place of begin(): takes the streams that were kept. False without memory.
  template <class Values>
  bool restore(Values const& values, Choice& choice) {
    choice_ = &choice;
    std::size_t slots = decltype(all_)::slots_at_start;
    while (slots < 2 * values.size()) slots *= 2;
    if (!all_.reserve(slots)) return false;
    for (auto const& [bits, stream] : values)
      if (StreamKey const key{bits}; key && keeps(key) && find(key) == nullptr) all_.add(key, stream);
    return true;
  }
  // From now on several threads use the table.
  void begin_threads();
  bool is_on() const { return all_.slots() > 0; }

  // nullptr: the stream is not counted.
  [[gnu::always_inline]] Stream* find_or_add(StreamKey key) {
    Stream* const known = all_.find(key);
    return known != nullptr ? known : add(key);
  }
  Stream const* find(StreamKey key) const { return all_.find(key); }
  // Calls visit(bits of the key, stream).
  template <class Visitor>
  void for_each(Visitor&& visit) {
    all_.for_each(visit);
  }
  // Keeps the streams of half of the tags, by a hash that both processes know. False if there are too few tags for
  // that. Pointers to streams become invalid, unless there are threads: then streams that are not kept stay in the
  // table.
  bool thin();
  bool keeps(StreamKey key) const { return choice_->keeps(key); }
  std::size_t size() const { return all_.size(); }

 private:
  struct InSpool : IndexPolicy {
    static constexpr spool::Kind kind = spool::Kind::streams;
    static constexpr bool grows = false;  // see make_room()
  };

  [[gnu::noinline, gnu::cold]] Stream* add(StreamKey key);
  bool reserve(std::size_t slots);
  bool make_room();

  Index<StreamKey, Stream, InSpool> all_;
  bool is_threaded_ = false;
  bool is_full_ = false;  // and has too few tags
  Choice* choice_ = nullptr;

 public:
  using Slot = decltype(all_)::Slot;  // as readers of the spool find it
};

// Instants of a common clock, derived by each process without a message.
//
// Time is divided into cells. At level L, each block of 2^L cells has one instant: at each level below, a hash chooses
// one of the two halves. So the instants of level L + 1 are half of those of level L. A process begins with level 0 and
// halves its instants when it has 1,024: processes of different levels agree on the instants of the higher level.
namespace instants {

using Cell = std::uint64_t;

inline constexpr unsigned cell_bits = 19;  // a cell has 2^19 ticks
inline constexpr std::uint64_t most = 1024;

// The cell in a block whose instant is kept at the level.
constexpr Cell chosen(unsigned level, std::uint64_t block) {
  Cell cell = block;
  for (unsigned below = level; below > 0; --below) cell = 2 * cell + (scattered(cell * 64 + below) & 1);
  return cell;
}
constexpr bool is_kept(Cell cell, unsigned level) { return chosen(level, cell >> level) == cell; }

// The instant of a cell lies at a random place in it: a program may have a rhythm.
constexpr Ticks time_of(Cell cell) {
  return {(cell << cell_bits) + (scattered(~cell) & ((std::uint64_t{1} << cell_bits) - 1))};
}
constexpr Cell cell_at(Ticks time) { return time.count >> cell_bits; }

}  // namespace instants

// The instants of a run, on the clock of this process.
//
// If all processes read one clock, an instant is a reading of it. If hosts have clocks of their own, instants are
// nanoseconds of the first host's monotonic clock: a process places them by the difference of the two clocks when the
// run began, and by its own monotonic clock since then. Two hosts may place an instant a little apart, by less than the
// margin. How far is known when the run has ended, so everything within the margin of an instant is logged.
class PlacedInstants {
 public:
  struct One {
    instants::Cell cell = 0;
    Ticks at;
    Ticks margin;
    std::uint64_t is_in_call = 0;  // 0 or 1; the process was in a call of MPI

    Ticks opens() const { return at - margin; }
    Ticks closes() const { return at + margin; }
  };

  // offset: from this host's clock to the first host's; nothing: all processes read one clock.
  void begin(Ticks now, std::optional<ClockOffset> const& offset);

  unsigned level() const { return level_; }
  // Whether placing the instants until now would make more of them than are kept.
  bool are_too_many(Ticks now) const;
  void halve();
  // Whether halve() will keep the instant.
  bool survives_halving(std::size_t i) const { return instants::is_kept(ones_[i].cell, level_ + 1); }
  // Labels number the blocks from that of the first instant on, so they change with the level. 0: before all instants.
  std::uint32_t label_of(instants::Cell cell) const {
    return cell < base_ ? 0 : static_cast<std::uint32_t>((cell >> level_) - (base_ >> level_)) + 1;
  }
  instants::Cell cell_of(std::uint32_t label) const { return instants::chosen(level_, (base_ >> level_) + label - 1); }
  // After halve(): the label of the latest instant until one that had this label before.
  std::uint32_t label_after_halving(std::uint32_t label) const {
    if (label == 0) return 0;
    instants::Cell const cell = instants::chosen(level_ - 1, (base_ >> (level_ - 1)) + label - 1);
    std::uint32_t after = label_of(cell);
    if (after > 0 && cell_of(after) > cell) --after;
    return after > 0 && cell_of(after) >= base_ ? after : 0;
  }
  // Places the instants until now. entry: of the call that ends now.
  void place(Ticks entry, Ticks now);
  static constexpr std::size_t most = instants::most + 2;
  std::size_t size() const { return count_; }
  One const& operator[](std::size_t i) const { return ones_[i]; }
  // The number of instants until a time.
  std::size_t count_until(Ticks time) const { return static_cast<std::size_t>(after(time) - begin()); }
  // The first instant that is not placed.
  One const& upcoming() const { return upcoming_; }

  // The latest instant until a time, and the latest one whose window has opened by then; nullptr: there is none.
  One const* latest(Ticks time) const {
    One const* const next = after(time);
    return next == begin() ? nullptr : next - 1;
  }
  One const* latest_open(Ticks time) const {
    if (time >= upcoming_.opens()) return &upcoming_;
    One const* const one = latest(time);
    One const* const next = one == nullptr ? begin() : one + 1;
    return next != end() && time >= next->opens() ? next : one;
  }
  One const* find(instants::Cell cell) const {
    One const* const found =
        std::lower_bound(begin(), end(), cell, [](One const& one, instants::Cell wanted) { return one.cell < wanted; });
    return found != end() && found->cell == cell ? found : nullptr;
  }
  bool lies_in(Ticks entry, Ticks exit) const {
    One const* const one = latest(exit);
    return one != nullptr && one->at > entry;
  }
  // Calls visit(one) for each instant after `entry`, until `exit`.
  template <class Visitor>
  void for_each(Ticks entry, Ticks exit, Visitor&& visit) const {
    for (One const* one = after(entry); one != end() && one->at <= exit; ++one) visit(*one);
  }

  // For the end of the run: from now on, instants are on the common clock.
  void convert(CommonClock const& clock);
  // The first host's monotonic clock, as far as it is known without a second comparison: hosts may have drifted apart.
  CommonClock clock_of_first_host() const;
  // For values that were read from a file: whether they can be used.
  bool are_sound() const { return level_ < 64 && count_ <= std::size(ones_) && has_offset_ <= 1; }

 private:
  One const* begin() const { return ones_; }
  One const* end() const { return ones_ + count_; }
  One const* after(Ticks time) const {
    return std::upper_bound(begin(), end(), time, [](Ticks wanted, One const& one) { return wanted < one.at; });
  }
  // The two clocks' times of one moment.
  struct Moment {
    Ticks here;
    std::uint64_t there = 0;
  };
  Moment moment(Ticks now) const;
  One placed(instants::Cell cell) const;

  std::uint64_t has_offset_ = 0;  // 0 or 1; a bool in a damaged file might be neither
  ClockOffset offset_;
  Moment first_, latest_;  // the first and the latest moment at which this process has compared the clocks
  instants::Cell base_ = 0;
  unsigned level_ = 0;
  One upcoming_;
  std::size_t count_ = 0;
  One ones_[most];
};

// How many requests were pending at each instant: an estimate of how long requests are pending, and of how much of that
// time computation covers. A request counts when it ends, so an instant costs nothing, however many are pending.
class PendingCounts {
 public:
  // Requests of one communicator, operation and scope.
  struct Kind {
    RecordKey key;
    // How many more were pending at instant i than at the one before. The last ones end at the instant that comes next.
    std::int32_t changes[PlacedInstants::most + 1]{};
  };
  static constexpr std::size_t most_kinds = 250;  // 1 MiB; requests of other kinds do not count

  // A request was pending since instant `first`, and not at instant `end` any more.
  void add(RecordKey key, std::size_t first, std::size_t end);
  // Must precede instants.halve().
  void halve(PlacedInstants const& instants);
  void clear();
  // For the reader: takes what it has found. False without memory.
  bool restore(std::span<Kind const> kinds);

  KeptVector<Kind> const& kinds() const { return kinds_; }

 private:
  Kind* find_or_add(RecordKey key);

  KeptVector<Kind> kinds_{spool::Kind::pending_counts};
  Index<RecordKey, std::uint32_t> numbers_;  // of kinds, from 1
};

}  // namespace commprof
