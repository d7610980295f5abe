// The questions of one process about its waiting for messages, and the rows that follow from the answers of others. In
// this order:
//
//   ask()      a question for each message that a call awaits at an instant, ordered by the process asked
//   thin()     drops instants, if a process cannot answer all questions
//   take()     an answer
//   chain()    after all answers: whom this process waits for at each instant. The caller follows the chains of waiting
//              by asking those processes whom they wait for, and tells the ends by end_chain().
//   count()    the calls of this process
//   finish()   its rows, to be merged with those of others
//
// Does not know MPI.
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "base/hash.hpp"
#include "base/memory.hpp"
#include "calls/families.hpp"
#include "counters/counters.hpp"
#include "message_waits/message_waits.hpp"
#include "sites/sites.hpp"

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

// Sums of the waiting for messages, and of what is pending, which processes merge up a tree: a row for each
// communicator, operation, call site and kind. A row has a fixed size: its error comes from the sums of 32 random
// groups of instants and 16 of streams, and from how many calls have the instants; it keeps the 8 heaviest of the ranks
// that were waited for.
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

  void order();
  // Adds others, and orders. False if memory is used up.
  bool add(MessageRows const& others);
  // The heads that meet a condition, with their rows. False if memory is used up.
  template <class Condition>
  bool select(MessageRows& result, Condition&& condition) const {
    bool is_selected = true;
    MessageRow const* row = rows.begin();
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
  void swap(MessageRows& other) {
    heads.swap(other.heads);
    rows.swap(other.rows);
  }
  template <class Visitor>
  void visit(Visitor&& visitor) {
    visitor(heads);
    visitor(rows);
  }
  MessageHead const* find(MessageComm const& comm) const {
    MessageHead const* const found =
        std::lower_bound(heads.begin(), heads.end(), comm,
                         [](MessageHead const& head, MessageComm const& one) { return head.comm < one; });
    return found != heads.end() && found->comm == comm ? found : nullptr;
  }
};

struct MessageQuestion {
  MessageComm comm;
  instants::Cell cell = 0;  // the instant
  Ticks at;                 // when the asker has placed it, on the common clock
  Ticks exit;               // of the asker's call
  Ticks clock_error;        // of the asker
  std::int32_t asker = 0;   // its rank in the communicator
  std::int32_t tag = 0;
  std::uint32_t number = 0;
  Way way = Way::in;  // in: the asker receives
};

struct MessageAnswer {
  Ticks when;
  MessageWaits::Told told = MessageWaits::Told::unknown;
  bool is_close = false;   // see MessageWaits::Answer
  std::uint8_t level = 0;  // of the process that answers
};

class OwnMessageWaits {
 public:
  // A communicator, by its index.
  struct Comm {
    MessageComm name;
    std::int32_t own_rank = 0;
    std::uint32_t members = 0;
    bool is_known_alike = false;  // all members have the name, and no other communicator has it
    bool writes_rows = false;
  };
  struct ToAsk {
    std::int32_t to = 0;
    std::uint32_t hit = 0;
    MessageQuestion question;
  };
  // Stand for a rank. for_somebody: perhaps. not_looked_at: the process has left the instant out, which says nothing.
  static constexpr std::int32_t for_nobody = -1, for_somebody = -2, not_looked_at = -3;
  // Processes on the way to `to` keep one instant in 2^level, the same ones at one level, and one in 2^asked_level of
  // those, each its own.
  struct Ahead {
    std::int32_t to = for_nobody;
    std::uint8_t level = 0, asked_level = 0;

    double weight() const { return static_cast<double>(std::uint64_t{1} << std::min(level + asked_level, 62)); }
  };
  // Whom this process waits for at an instant, and then whom that one waits for, and so on.
  struct Link {
    instants::Cell cell = 0;
    Ahead ahead{};
    bool is_at_end = false;
  };
  // Rows of waits_by_rank.csv and waits_by_pair.csv. for_rank: of the latter.
  struct Row {
    CommIndex comm{};
    Op op{};
    SiteIndex site{};
    WaitKind kind{};
    std::int32_t for_rank = -1;
    std::uint64_t instants = 0, time_ns = 0, wait_ns = 0, error_ns = 0;
    double unknown_share = 0;
  };

  void begin(MessageWaits& waits, std::int32_t rank, clock::Rate rate) {
    waits_ = &waits;
    rank_ = rank;
    rate_ = rate;
  }
  // Comms, in the order of their indices.
  void take(PageVector<Comm>& comms);
  CommIndex find(MessageComm const& name) const;  // unknown if this process has none, or not alike

  void ask();
  PageVector<ToAsk> const& questions() const { return questions_; }
  // level_of(process): how often to halve the instants at which it is asked.
  template <class LevelOf>
  void thin(LevelOf&& level_of) {
    for (ToAsk const& one : questions_) {
      Hit& hit = *(hits_.begin() + one.hit);
      hit.asked_level = std::max(hit.asked_level, static_cast<std::uint8_t>(level_of(one.to)));
    }
    drop();
  }
  // A question of another process.
  MessageAnswer answer(MessageQuestion const& question) const;
  void take(ToAsk const& question, MessageAnswer const& answer);

  // Follows the instants whose hash is kept at the level.
  PageVector<Link>& chain(unsigned level);
  Ahead waits_for(instants::Cell cell) const;  // for_nobody, too, if it is not followed
  // Follows a link by what the process at its end has answered. All links must have been asked for before: so their
  // distance doubles.
  static void follow(Link& link, Ahead const& next) {
    Ahead& ahead = link.ahead;
    if (next.to < 0 || next.to == ahead.to) link.is_at_end = true;
    if (next.to != for_nobody) ahead.to = next.to;
    ahead.level = std::max(ahead.level, next.level);
    ahead.asked_level = static_cast<std::uint8_t>(std::min(ahead.asked_level + next.asked_level, 62));
  }
  // How often to follow them. A process cannot know when all others have found the ends of their chains; chains of
  // 4,096 are long enough.
  static int rounds(std::int32_t ranks) {
    return std::min(static_cast<int>(std::bit_width(static_cast<std::uint32_t>(ranks))) + 1, 13);
  }

  // Takes what the process has counted, at any time after take().
  template <class Records>
  void count(Records const& records, Sites const& sites) {
    find_pending(sites);
    for (Record const& record : records) add(record, sites.site(record.key.scope()));
    make_rows(sites);
    for (PendingCounts::Kind const& kind : waits_->pending().kinds()) count(kind, sites);
    for (SpanningCall const& span : waits_->spans()) sites_.push_back(sites.site(span.scope));
  }
  // After all answers. False if memory is used up.
  bool finish();
  MessageRows& rows() { return rows_; }
  MessageRows const& rows() const { return rows_; }
  PageVector<Row> const& by_rank() const { return by_rank_; }
  PageVector<Row> const& by_pair() const { return by_pair_; }
  // The waiting of this process in all its calls, and the standard error of that.
  std::uint64_t measured_ns() const { return measured_ns_; }
  std::uint64_t measured_error_ns() const;

 private:
  // The messages that a call awaits in one way at an instant: how many are late, are not, are not known.
  struct Counts {
    std::uint16_t late = 0, fine = 0, unknown = 0;
    bool is_close = false;
    std::int32_t whom = -1;  // the process that is the last to end the waiting
    Ticks when;
  };
  // An instant in a spanning call.
  struct Hit {
    std::uint32_t span = 0;
    instants::Cell cell = 0;
    std::uint8_t level = 0, asked_level = 0;
    bool is_dropped = false;
    Counts of[2]{};  // by Way

    Ahead ahead(std::int32_t to) const { return {to, level, asked_level}; }
    double weight() const { return ahead(for_nobody).weight(); }
  };
  struct OwnRow {
    CommIndex comm{};
    Op op{};
    SiteIndex site{};
    WaitKind kind{};
    MessageRow sum;
    std::uint32_t latest_span = 0;
    MessageRow::CallWeight latest_call;  // the one of that span

    auto key() const { return std::tuple(comm, op, site, kind); }
  };
  // The calls of a row.
  struct Calls {
    CommIndex comm{};
    Op op{};
    SiteIndex site{};
    std::uint64_t calls = 0;
    std::uint64_t time_ns = 0;

    auto key() const { return std::tuple(comm, op, site); }
  };
  // What has been pending.
  struct Pending {
    CommIndex comm{};
    Op op{};
    SiteIndex site{};

    friend auto operator<=>(Pending const&, Pending const&) = default;
  };
  struct Pair {
    std::uint32_t row = 0;
    std::int32_t rank = 0;
    double weight = 0;
  };

  struct Named {
    MessageComm name;
    CommIndex index{};
  };

  bool is_known_alike(CommIndex comm) const {
    auto const i = static_cast<std::size_t>(comm);
    return i < comms_.size() && (comms_.begin() + i)->is_known_alike;
  }
  Comm const& comm_of(CommIndex comm) const { return *(comms_.begin() + static_cast<std::size_t>(comm)); }
  void ask_about(std::uint32_t hit, SpanningCall const& span, Ticks at);
  void drop();
  bool is_late(Hit const& hit, WaitKind kind) const;
  bool is_known(Hit const& hit, WaitKind kind) const;
  std::int32_t whom(Hit const& hit) const;
  void find_pending(Sites const& sites);
  bool was_pending(Pending const& one) const { return std::binary_search(pending_.begin(), pending_.end(), one); }
  void add(Record const& record, SiteIndex site);
  void make_rows(Sites const& sites);
  void count(PendingCounts::Kind const& kind, Sites const& sites);
  void count(Hit const& hit, SiteIndex site);
  void count(Hit const& hit, OwnRow& row, double share);
  void add_pairs();
  void finish_pairs();
  OwnRow* find(CommIndex comm, Op op, SiteIndex site, WaitKind kind);

  MessageWaits* waits_ = nullptr;
  std::int32_t rank_ = 0;
  clock::Rate rate_{};
  PageVector<Comm> comms_;
  PageVector<Named> named_;      // those that are known alike, in the order of their names
  PageVector<SiteIndex> sites_;  // of the spanning calls
  PageVector<Hit> hits_;
  PageVector<ToAsk> questions_;
  PageVector<Link> links_;
  PageVector<Pending> pending_;  // in order
  PageVector<Calls> calls_;
  PageVector<OwnRow> own_rows_;
  PageVector<Pair> pairs_;
  MessageRows rows_;
  PageVector<Row> by_rank_, by_pair_;
  std::uint64_t measured_ns_ = 0;
};

// Whether waiting of this kind is possible in the operation.
bool can_wait(Op op, WaitKind kind);

}  // namespace commprof
