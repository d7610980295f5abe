// Counts the messages of each stream: those of one communicator, direction, peer and tag.
//
// MPI keeps the order of a stream's messages: message n of the sender is message n of the receiver. So both processes
// number them alike without a message.
//
// The table is open-addressed. It doubles until it has the most streams; then it is thinned. Once several threads may
// call MPI, it does not change its size: streams that find no room are not counted. Does not know MPI.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/hash.hpp"
#include "base/ids.hpp"

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
    if (rank >= 1U << peer_bits || tag < 0 || index >= (1U << comm_bits) - 1) [[unlikely]]
      return {};
    std::uint64_t const number = index + 1;
    return {static_cast<std::uint64_t>(way) << 63 | number << (peer_bits + tag_bits) |
            static_cast<std::uint64_t>(rank) << tag_bits | static_cast<std::uint32_t>(tag)};
  }
  constexpr explicit operator bool() const { return packed != 0; }
  constexpr Way way() const { return static_cast<Way>(packed >> 63); }
  constexpr CommIndex comm() const {
    return static_cast<CommIndex>((packed >> (peer_bits + tag_bits) & ((1U << comm_bits) - 1)) - 1);
  }
  constexpr std::int32_t peer() const {
    return static_cast<std::int32_t>(packed >> tag_bits & ((1U << peer_bits) - 1));
  }
  constexpr std::int32_t tag() const { return static_cast<std::int32_t>(packed & ((1U << tag_bits) - 1)); }
  friend constexpr bool operator==(StreamKey, StreamKey) = default;
};

struct Stream {
  static constexpr std::uint32_t unknown = UINT32_MAX;  // a label: the count is wrong

  std::uint64_t key = 0;    // 0: the slot is free
  std::uint32_t count = 0;  // messages so far
  std::uint32_t label = 0;  // of the latest instant with an entry in the log
};

class Streams {
 public:
  static constexpr std::uint32_t no_number = UINT32_MAX;
  static constexpr std::size_t most = 65536;                // streams
  static constexpr std::size_t slots_with_threads = 16384;  // for up to half as many streams

  // Which streams are kept. A reader of the spool needs it, too.
  struct Choice {
    unsigned tag_level = 0, pair_level = 0;
    std::uint32_t is_changing = 0;  // the table is being rebuilt

    // own_rank: of this process in the stream's communicator, if the choice depends on ranks.
    bool keeps(StreamKey key, std::int32_t own_rank) const;
    bool depends_on_ranks() const { return level_of(pair_level) != 0; }

   private:
    // Another thread may be raising it.
    static unsigned level_of(unsigned const& level) {
      return std::atomic_ref(const_cast<unsigned&>(level)).load(std::memory_order_relaxed);
    }
  };

  // own_rank: the rank of this process in a communicator, for the hash of a pair of ranks. choice: where to store the
  // choice; nullptr: here.
  using OwnRank = std::int32_t (*)(CommIndex comm);
  bool begin(OwnRank own_rank, Choice* choice = nullptr);
  // For the reader, in place of begin(): takes the streams that were kept. False without memory.
  template <class Values, class OwnRankOf>
  bool restore(Values const& values, Choice const& choice, OwnRankOf&& own_rank) {
    std::size_t kept = 0, slots = 4;
    for (Stream const& one : values)
      if (one.key != 0) ++kept;
    while (slots < 2 * kept) slots *= 2;
    if (!rebuild(slots)) return false;
    for (Stream const& one : values) {
      StreamKey const key{one.key};
      if (!key || !choice.keeps(key, own_rank(key.comm())) || find(key) != nullptr) continue;
      *place_of(key) = one;
      ++used_;
    }
    return true;
  }
  // From now on several threads use the table.
  void begin_threads();
  bool is_on() const { return slots_ != nullptr; }

  // nullptr: the stream is not counted.
  [[gnu::always_inline]] Stream* find_or_add(StreamKey key) {
    for (std::size_t i = slot_of(key);; i = (i + 1) & mask_) {
      std::uint64_t const found = std::atomic_ref(slots_[i].key).load(std::memory_order_relaxed);
      if (found == key.packed) [[likely]]
        return &slots_[i];
      if (found == 0) return add(key);
    }
  }
  Stream const* find(StreamKey key) const;
  template <class Visitor>
  void for_each(Visitor&& visit) {
    for (std::size_t i = 0; is_on() && i <= mask_; ++i)
      if (std::atomic_ref(slots_[i].key).load(std::memory_order_relaxed) != 0) visit(slots_[i]);
  }
  // Keeps the streams of half of the tags, or of half of the pairs of ranks if there are more of these, by hashes that
  // both processes know. Pointers to streams become invalid, unless there are threads: then streams that are not kept
  // stay in the table.
  void thin();
  bool keeps(StreamKey key) const;
  std::size_t size() const { return used_; }

 private:
  std::size_t slot_of(StreamKey key) const {
    return static_cast<std::size_t>((key.packed * 0x9E3779B97F4A7C15ULL) >> shift_);
  }
  [[gnu::noinline, gnu::cold]] Stream* add(StreamKey key);
  Stream* add_among_threads(StreamKey key);
  bool rebuild(std::size_t slots);
  void drop();
  bool make_room();
  Stream* place_of(StreamKey key) const;  // where it is, or an empty slot
  Choice const& choice() const { return choice_ == nullptr ? own_choice_ : *choice_; }
  Choice& choice() { return choice_ == nullptr ? own_choice_ : *choice_; }
  std::int32_t own_rank_in(StreamKey key) const { return own_rank_ == nullptr ? 0 : own_rank_(key.comm()); }

  Stream* slots_ = nullptr;
  std::size_t mask_ = 0;
  unsigned shift_ = 0;
  std::size_t used_ = 0;
  bool is_threaded_ = false;
  std::uint32_t tables_ = 0;  // that there have been
  Choice own_choice_;
  Choice* choice_ = nullptr;
  OwnRank own_rank_ = nullptr;
};

}  // namespace commprof
