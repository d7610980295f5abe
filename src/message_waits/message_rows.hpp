// Sums of the waiting for messages, and of what is pending, which processes merge up a tree: a row for each
// communicator, operation, call site and kind. A row has a fixed size: its error comes from the sums of 32 random
// groups of instants and 16 of streams, and from how many calls have the instants; it keeps the 8 heaviest of the ranks
// that were waited for. Does not know MPI.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "base/hash.hpp"
#include "base/memory.hpp"
#include "counters/counters.hpp"
#include "message_waits/instants.hpp"
#include "sites/sites.hpp"
#include "waits/wait_kinds.hpp"

namespace commprof {

// A communicator, the same on all members: two hashes of its name.
struct MessageComm {
  std::uint64_t name = 0, name_again = 0;

  static MessageComm of(std::string_view text) {
    std::uint64_t const hash = hash_of(text);
    return {hash, fnv1a<std::uint32_t>(text) ^ hash << 32 ^ text.size()};
  }
  friend auto operator<=>(MessageComm const&, MessageComm const&) = default;
};

// The ranks with the most weight. Merging may lose weight of light ones.
struct HeaviestRanks {
  static constexpr std::size_t most = 8;
  struct One {
    std::int32_t rank = -1;
    double weight = 0;
  };
  One ones[most];  // descending

  void add(std::int32_t rank, double weight) {
    if (rank < 0 || weight <= 0) return;
    One* place = std::find_if(ones, ones + most, [&](One const& one) { return one.rank == rank || one.rank < 0; });
    if (place == ones + most) {
      if ((place - 1)->weight >= weight) return;
      *--place = {};
    }
    place->rank = rank;
    place->weight += weight;
    while (place != ones && (place - 1)->weight < place->weight) std::swap(*place, *(place - 1)), --place;
  }
  void add(HeaviestRanks const& others) {
    for (One const& one : others.ones) add(one.rank, one.weight);
  }
};

// The flavour is not linked with libm, which has sqrt.
double square_root(double square);

struct MessageRow {
  static constexpr std::size_t groups = 32, stream_groups = 16;

  MessageComm comm;
  Op op{};
  WaitKind kind{};
  char site[Sites::max_name] = "";
  std::uint32_t ranks = 0;  // with such calls
  std::uint64_t calls = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t instants = 0;  // in these calls
  // Sums of weights: an instant weighs as many cells as it stands for.
  double known = 0;      // instants at which it is known whether the process waits
  double late = 0;       // those at which it does
  double unknown = 0;    // the others
  double close = 0;      // instants for which the error of the clocks decides
  double concerned = 0;  // instants in calls that await a message of this kind
  double known_of[groups]{}, late_of[groups]{};
  double known_of_streams[stream_groups]{}, late_of_streams[stream_groups]{};
  double known_squares = 0, late_squares = 0;  // of the weights
  // Sums of squares of what each call weighs, by its instants that are known and by the others.
  double known_of_calls_squares = 0, unknown_of_calls_squares = 0;
  HeaviestRanks whom, cause;
  double caused = 0;  // the weight of late instants for which the cause was looked for, by that of their chains

  // What one call weighs in the row so far, by its instants that are known and by the others.
  struct CallWeight {
    double known = 0, unknown = 0;
  };
  // Adds an instant at which it is known whether the process waits. stream: a hash of that which it awaits.
  void add_known(CallWeight& call, instants::Cell cell, std::uint64_t stream, double weight, bool is_late);
  void add_unknown(CallWeight& call, double weight);
  auto key() const { return std::tuple(comm, op, kind, std::string_view(site)); }
  void join(MessageRow const& other);

  // The share of the time that is waiting, and its standard error; valid if anything is known.
  double share() const { return late / known; }
  double error() const;
  double error_of_instants() const;
  double error_of_streams() const;
  double error_of_calls() const { return square_root(variance_of_calls(share())); }
  // The variance of any part of the time, because only some calls are known.
  double variance_of_calls(double part) const;
};

// A communicator with members that merge rows.
struct MessageHead {
  MessageComm comm;
  std::uint32_t members = 0;
  std::uint32_t joined = 0;
  std::uint32_t is_wanted = 0;  // a process wants its rows

  void join(MessageHead const& other);
  bool is_complete() const { return joined >= members; }
};

// Heads and rows, each in order.
struct MessageRows {
  PageVector<MessageHead> heads;
  PageVector<MessageRow> rows;
  bool is_whole = true;

  void order();
  // Adds others, and orders.
  void join(MessageRows const& others);
  // The heads that meet a condition, with their rows.
  template <class Condition>
  void select(MessageRows& result, Condition&& condition) const {
    MessageRow const* row = rows.begin();
    for (MessageHead const& head : heads) {
      bool const is_in = condition(head);
      if (is_in && !result.heads.push_back(head)) result.is_whole = false;
      while (row != rows.end() && row->comm < head.comm) ++row;
      for (; row != rows.end() && row->comm == head.comm; ++row)
        if (is_in && !result.rows.push_back(*row)) result.is_whole = false;
    }
  }
  MessageHead const* find(MessageComm const& comm) const {
    MessageHead const* const found =
        std::lower_bound(heads.begin(), heads.end(), comm,
                         [](MessageHead const& head, MessageComm const& one) { return head.comm < one; });
    return found != heads.end() && found->comm == comm ? found : nullptr;
  }
};

}  // namespace commprof
