// What processes join about their waiting: for each communicator, rows of its members.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/hash.hpp"
#include "base/memory.hpp"
#include "calls/families.hpp"
#include "message_waits/causes.hpp"
#include "ops.hpp"
#include "sites/sites.hpp"

namespace commprof {

// A communicator, the same on all members: a hash of its name.
struct MessageComm {
  std::uint64_t name = 0;

  static MessageComm of(std::string_view text) { return {hash_of(text)}; }
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
  void scale(double factor) {
    for (One& one : ones) one.weight *= factor;
  }
};

// The flavour is not linked with libm, which has sqrt.
double square_root(double square);
inline std::uint64_t rounded(double value) {
  return value <= 0 ? 0 : static_cast<std::uint64_t>(value + 0.5);  // NOLINT: without libm
}

// Sums of waiting, and of what is pending, which processes merge up a tree: a row for each
// communicator, operation, call site and kind. A row has a fixed size: its error comes from the sums of 32 random
// groups of instants, and from how many calls have the instants; it keeps the 8 heaviest of the ranks that were waited
// for.
struct MessageRow {
  static constexpr std::size_t groups = 32;

  MessageComm comm;
  Op op{};
  WaitKind kind{};
  char site[Sites::max_name] = "";
  std::uint32_t ranks = 0;  // with such calls
  std::uint64_t calls = 0;
  std::uint64_t time_ns = 0;
  std::uint64_t instants = 0;      // in these calls
  std::uint64_t moments_seen = 0;  // the bits of hashes of known instants: processes that wait together share these
  double time_variance = 0;        // in ns², if the time is estimated from instants
  // Sums of weights: an instant weighs as many cells as it stands for.
  double known = 0;      // instants at which it is known whether the process waits
  double late = 0;       // those at which it does
  double unknown = 0;    // the others
  double close = 0;      // those of them for which the error of the clocks decides
  double concerned = 0;  // instants in calls that await something of this kind
  double known_of[groups]{}, late_of[groups]{};
  // Sums of squares of what each call weighs, by its instants that are known and by the others.
  double known_of_calls_squares = 0, unknown_of_calls_squares = 0;
  // Weights of late instants; of rows that are merged, ns.
  HeaviestRanks whom, cause;
  double caused = 0;   // of those whose chains have an end that is known
  double pattern = 0;  // those of them that end at no process
  double wait_ns = 0;  // the part of time_ns that is waiting

  // What one call weighs in the row so far, by its instants that are known and by the others.
  struct CallWeight {
    double known = 0, unknown = 0;
  };
  // Adds an instant at which it is known whether the process waits.
  void add_known(CallWeight& call, instants::Cell cell, double weight, bool is_late);
  void add_unknown(CallWeight& call, double weight);
  auto key() const { return std::tuple(comm, op, kind, std::string_view(site)); }
  // The waiting that causes and pattern are parts of, ns of a merged row; 0 if no chain is known. What is caused is an
  // estimate, too, and may be more.
  double of_chains() const { return caused > 0 ? std::max(wait_ns, caused) : 0; }
  // Once all is added: so many ns for each weight of late instants, and for each weight of chains. Processes differ in
  // what an instant stands for, so their sums agree only if each has turned its weights into time.
  void turn_into_time(double late_ns, double chain_ns) {
    wait_ns = late * late_ns;
    whom.scale(late_ns);
    cause.scale(chain_ns);
    caused *= chain_ns;
    pattern *= chain_ns;
  }
  MessageRow& operator+=(MessageRow const& other);

  // The share of the time that is waiting, and its standard error; valid if anything is known.
  double share() const { return late / known; }
  double error() const;
  // The standard error of share() of the time, with that of the time.
  double wait_error_ns() const {
    double const of_share = error() * static_cast<double>(time_ns);
    return square_root(of_share * of_share + share() * share() * time_variance);
  }
  double error_of_instants() const;
  double moments() const;
  double error_of_calls() const { return square_root(variance_of_calls(share())); }
  // The variance of any part of the time, because only some calls are known.
  double variance_of_calls(double part) const;
};

// A communicator with members that merge rows, or that meet.
struct MessageHead {
  MessageComm comm;
  std::uint32_t members = 0;
  std::uint32_t joined = 0;
  std::uint32_t is_wanted = 0;  // a process wants its rows
  std::uint32_t level = 0;      // one in 2^level meetings is kept

  MessageHead& operator+=(MessageHead const& other) {
    joined += other.joined;
    is_wanted |= other.is_wanted;
    level = std::max(level, other.level);
    return *this;
  }
  bool is_complete() const { return joined >= members; }
  auto key() const { return comm; }
};

// When the members of a communicator entered a collective call that some of them are in at an instant.
struct Meeting {
  MessageComm comm;
  instants::Cell cell = 0;
  std::uint32_t number = 0;  // of the call
  calls::Joint joint{};
  std::uint8_t level = 0;       // the highest one of the members
  bool is_left_out = false;     // a member has not kept the instant
  std::uint32_t known = 0;      // members of which it is known whether they entered it before the instant
  std::int32_t last_rank = -1;  // world rank of the last one to enter it after the instant; -1: nobody did
  Ticks latest;                 // when it did
  Coming coming;                // how
  Ticks earliest{UINT64_MAX};   // when the first one did

  auto key() const { return std::tuple(comm, joint, cell, number); }
  Meeting& operator+=(Meeting const& other);
  bool is_kept(unsigned at_level) const { return is_below(scattered(cell ^ 0x2545F4914F6CDD1D), at_level); }
};

// Heads and rows, each in order.
template <class Row>
struct RowsOfComms {
  std::size_t most = 65536;  // rows, if they can be thinned
  PageVector<MessageHead> heads;
  PageVector<Row> rows;

  void order() {
    order_rows(heads);
    order_rows(rows);
    thin();
  }
  // Adds others. False if memory is used up.
  bool add(RowsOfComms const& others) {
    bool const is_whole = merge_rows(heads, others.heads) && merge_rows(rows, others.rows);
    thin();
    return is_whole;
  }
  // The heads that meet a condition, with their rows. False if memory is used up.
  template <class Condition>
  bool select(RowsOfComms& result, Condition&& condition) const {
    bool is_selected = true;
    Row const* row = rows.begin();
    for (MessageHead const& head : heads) {
      bool const is_in = condition(head);
      if (is_in) is_selected = result.heads.push_back(head) && is_selected;
      while (row != rows.end() && row->comm < head.comm) ++row;
      for (; row != rows.end() && row->comm == head.comm; ++row)
        if (is_in) is_selected = result.rows.push_back(*row) && is_selected;
    }
    return is_selected;
  }
  // Whether the process that has these heads wants the rows.
  bool wants(MessageHead const& head) const {
    MessageHead const* const own = find(head.comm);
    return own != nullptr && own->is_wanted != 0;
  }
  void keep_heads() { rows.release(); }
  void swap(RowsOfComms& other) {
    std::swap(most, other.most);
    heads.swap(other.heads);
    rows.swap(other.rows);
  }
  template <class Visitor>
  void visit(Visitor&& visitor) {
    visitor(heads);
    visitor(rows);
  }
  MessageHead const* find(MessageComm const& comm) const { return find_in(heads, comm); }
  template <class Key>
  Row const* find_row(Key const& key) const {
    return find_in(rows, key);
  }

 private:
  template <class One, class Key>
  static One const* find_in(PageVector<One> const& all, Key const& key) {
    One const* const found = std::lower_bound(all.begin(), all.end(), key,
                                              [](One const& one, Key const& wanted) { return one.key() < wanted; });
    return found != all.end() && found->key() == key ? found : nullptr;
  }
  // Drops rows by a hash until there are not too many. All members of a communicator get its level.
  void thin() {
    if constexpr (requires(Row const& row) { row.is_kept(0U); }) {
      for (;;) {
        MessageHead const* head = heads.begin();
        Row* const end = std::remove_if(rows.begin(), rows.end(), [&](Row const& row) {
          while (head != heads.end() && head->comm < row.comm) ++head;
          return head == heads.end() || !row.is_kept(head->level);
        });
        rows.resize(static_cast<std::size_t>(end - rows.begin()));
        if (rows.size() <= most) return;
        for (MessageHead& one : heads) ++one.level;
      }
    }
  }
};
using MessageRows = RowsOfComms<MessageRow>;
using Meetings = RowsOfComms<Meeting>;

}  // namespace commprof
