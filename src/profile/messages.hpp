// The messages of all processes: their sums, the busiest pair of ranks, and, by host, host_pairs.csv.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "base/memory.hpp"
#include "profile/schema.hpp"
#include "profile/text_writer.hpp"
#include "profile/texts.hpp"

namespace commprof {

struct RowContext;

struct MessageAmount {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;

  MessageAmount& operator+=(MessageAmount const& other) {
    messages += other.messages;
    bytes += other.bytes;
    return *this;
  }
};

// Sent as raw bytes, so it contains only numbers.
struct MessageTotals {
  struct Pair {
    std::int32_t from = -1, to = -1;  // world ranks. from -1: no pair; to -1: another world
    MessageAmount amount;
  };

  std::array<MessageAmount, schema::message_classes.size()> of_class{};
  Pair busiest;              // the two ranks with the most bytes; ties go to the lowest sender, then receiver
  std::uint64_t others = 0;  // number of other pairs with about as many bytes
  // 0: unknown, for lack of memory, or because two processes have rows of one pair (one of them got data).
  std::uint64_t is_busiest_known = 1;

  // Without what the transport was given, which repeats the others.
  MessageAmount all() const;
  void add(MessageTotals const& other);
};

// Whether `bytes` is about `most`: less by a hundredth at most.
constexpr bool are_about(std::uint64_t bytes, std::uint64_t most) {
  return bytes <= most && most - bytes <= most / 100;
}

// The messages of one process, by receiver.
class OwnPairs {
 public:
  explicit OwnPairs(RowContext const& context);

  MessageTotals const& totals() const { return totals_; }
  // The number of pairs with about `most` bytes.
  std::uint64_t count_about(std::uint64_t most) const;

 private:
  struct Sent {
    std::int32_t to;
    MessageAmount amount;
  };
  PageVector<Sent> pairs_;  // sorted by receiver
  MessageTotals totals_;
};

// The host of each rank: for each host its ranks, as ranges with a stride.
//
// Launchers place ranks in blocks or in turn, so a host has one range and the collection stays small. Each process
// starts with its own rank; collections of adjacent ranks are then merged two by two.
class HostRanks {
 public:
  // Ranks without a pattern need one range each; this limits the memory. The hosts of further ranks are unknown.
  static constexpr std::size_t most_ranges = std::size_t{64} * 1024;

  // False if memory is used up.
  bool take(NameHash host, std::int32_t rank) { return push({host, rank, 1}); }
  // Appends a collection of higher ranks. False if memory is used up.
  bool add(HostRanks const& later);

  // Must be called before the first host_of(). False if memory is used up.
  bool order_by_rank();
  // The host of the rank; NameHash::several if unknown.
  NameHash host_of(std::int32_t rank) const;

  // Visits the parts to send or receive.
  template <class Visitor>
  void visit(Visitor&& visitor) {
    visitor(ranges_);
  }

 private:
  struct Range {
    NameHash host{};
    std::int32_t first = 0;
    std::int32_t count = 0;
    std::int32_t stride = 1;

    std::int32_t last() const { return first + (count - 1) * stride; }
    bool contains(std::int32_t rank) const { return rank >= first && rank <= last() && (rank - first) % stride == 0; }
    bool join(Range const& later);
  };

  bool push(Range const& range) { return ranges_.size() == most_ranges || ranges_.push_back(range); }

  PageVector<Range> ranges_;  // by host, then by first rank; after order_by_rank(): by stride, remainder, first rank
  PageVector<std::int32_t> strides_;
};

// The rows of host_pairs.csv: messages summed by the hosts of sender and receiver.
//
// Each process starts with its own messages; then collections are merged two by two. Each collection keeps at most
// most_pairs pairs: those with the most bytes; the others are summed together.
class HostPairs {
 public:
  static constexpr std::size_t most_pairs = std::size_t{64} * 1024;

  // Takes the messages of one process. Must be called once, on an empty object. hosts: ordered by rank.
  void take(RowContext const& context, HostRanks const& hosts);
  // Adds the sums of other processes. False if memory is used up.
  bool add(HostPairs const& others);
  // Writes the rows and returns their number. The difference between the totals and the known pairs becomes one row for
  // each class.
  std::uint64_t write(MessageTotals const& totals, Texts const& names, TextWriter& out) const;

  // Visits the parts to send or receive.
  template <class Visitor>
  void visit(Visitor&& visitor) {
    visitor(pairs_);
  }

 private:
  struct Pair {
    std::uint64_t message_class = 0;
    NameHash from{}, to{};  // never NameHash::several
    MessageAmount amount;

    auto key() const { return std::tuple(message_class, from, to); }
    Pair& operator+=(Pair const& other) {
      amount += other.amount;
      return *this;
    }
  };

  void keep_largest();

  PageVector<Pair> pairs_;  // sorted by class, sender, receiver
};

}  // namespace commprof
