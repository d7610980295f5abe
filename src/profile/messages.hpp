// The messages of all processes: their sums, the busiest pair of ranks, and, by host, host_pairs.csv.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
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
  MessageAmount to_self;     // of all(): those of processes to themselves
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

// The host of each rank. Each process starts with its own; those of adjacent ranks are then joined two by two.
struct HostRanks {
  PageVector<NameHash> hosts;

  // Appends the hosts of the ranks that follow. False if memory is used up.
  bool add(HostRanks const& later) {
    return std::all_of(later.hosts.begin(), later.hosts.end(), [&](NameHash host) { return hosts.push_back(host); });
  }
  // The host of the rank; NameHash::several if unknown.
  NameHash host_of(std::int32_t rank) const {
    auto const place = static_cast<std::size_t>(rank);
    return place < hosts.size() ? hosts.begin()[place] : NameHash::several;
  }
  // Visits the part to send or receive.
  template <class Visitor>
  void visit(Visitor&& visitor) {
    visitor(hosts);
  }
};

// The rows of host_pairs.csv: messages summed by the hosts of sender and receiver.
//
// Each process starts with its own messages; then collections are merged two by two. Each collection keeps at most
// most_pairs pairs: those with the most bytes; the others are summed together.
class HostPairs {
 public:
  static constexpr std::size_t most_pairs = std::size_t{64} * 1024;

  // Takes the messages of one process. Must be called once, on an empty object. hosts: of all ranks.
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
