// The sums of all processes' messages, and the pair of ranks with the most bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/memory.hpp"
#include "profile/schema.hpp"

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

// Bytes of the program's own messages between hosts: as ranks are placed, and as if they were placed in blocks or in
// turn.
struct BytesAcross {
  std::uint64_t as_placed = 0;
  std::uint64_t in_blocks = 0;
  std::uint64_t in_turn = 0;

  void add(BytesAcross const& other);
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
  BytesAcross across;  // summed over all processes
  std::uint64_t is_across_known = 0;

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

}  // namespace commprof
