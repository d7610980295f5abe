// What the messages of all processes amount to, and between which two of them most bytes went.
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

// In the order of MessageClass.
inline constexpr std::array<std::string_view, 3> message_class_names{schema::class_p2p, schema::class_rma,
                                                                     schema::class_internal};

// The bytes of the program's own messages that go between hosts, and would go there if ranks were placed in blocks or
// in turn.
struct BytesAcross {
  std::uint64_t as_placed = 0;
  std::uint64_t in_blocks = 0;
  std::uint64_t in_turn = 0;

  void add(BytesAcross const& other);
};

// Sent as raw bytes, so it holds numbers only.
struct MessageTotals {
  struct Pair {
    std::int32_t from = -1, to = -1;  // world ranks. from -1: there is none; to -1: of another world
    MessageAmount amount;
  };

  std::array<MessageAmount, message_class_names.size()> of_class{};
  Pair busiest;              // of those with most bytes, the first by sender and receiver
  std::uint64_t others = 0;  // that have about as many bytes
  // 0: unknown, for lack of memory, or because the rows of a pair may be of two processes: one of them got data.
  std::uint64_t is_busiest_known = 1;
  BytesAcross across;  // of all processes
  std::uint64_t is_across_known = 0;

  MessageAmount all() const;
  void add(MessageTotals const& other);
};

// Whether so many bytes are about as many as the most: a hundredth less at most.
constexpr bool are_about(std::uint64_t bytes, std::uint64_t most) {
  return bytes <= most && most - bytes <= most / 100;
}

// What one process has sent to each other one.
class OwnPairs {
 public:
  explicit OwnPairs(RowContext const& context);

  MessageTotals const& totals() const { return totals_; }
  // The number of pairs with about so many bytes.
  std::uint64_t count_about(std::uint64_t most) const;

 private:
  struct Sent {
    std::int32_t to;
    MessageAmount amount;
  };
  PageVector<Sent> pairs_;  // by receiver
  MessageTotals totals_;
};

}  // namespace commprof
