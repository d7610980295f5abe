// The questions of one process about its waiting, and the rows that follow from the answers of others. In
// this order:
//
//   ask()      a question for each message that a call awaits at an instant, ordered by the process asked; and for each
//              collective call that all members must enter, a Meeting
//   answer_meetings()  when this process has entered the calls of the meetings that the members have joined
//   take_meetings()    the answers of all members
//   thin()     drops instants, if there are too many questions for one process
//   take()     an answer
//   find_waits()       after all answers: whom this process waits for at each instant, for its Causes
//   count()    the calls of this process
//   finish()   its rows, to be merged with those of others
//   take()     what another process has waited because of this one
//   finish_causes()    the rows of these
//
// Does not know MPI.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>

#include "base/hash.hpp"
#include "base/memory.hpp"
#include "calls/families.hpp"
#include "counters/counters.hpp"
#include "message_waits/causes.hpp"
#include "message_waits/message_rows.hpp"
#include "message_waits/message_waits.hpp"
#include "sites/sites.hpp"

namespace commprof {

struct MessageQuestion {
  MessageComm comm;
  MessageWaits::Question asked;
  // The rank of the asker in the communicator; StreamKey::everybody: it awaits the root of a collective call.
  std::int32_t asker = 0;
  std::int32_t tag = 0;
  Way way = Way::in;  // in: the asker receives

  WaitKind kind() const {
    if (asker == StreamKey::everybody) return WaitKind::collective;
    return way == Way::in ? WaitKind::late_sender : WaitKind::late_receiver;
  }
};

struct MessageAnswer {
  Ticks when;
  Coming coming;  // then
  MessageWaits::Told told = MessageWaits::Told::unknown;
  bool is_idle = false;    // the process that answers was outside MPI then, with requests pending
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
    bool has_members = false;     // and they can meet: members of one group
    bool writes_rows = false;
  };
  struct ToAsk {
    std::int32_t to = 0;
    std::uint32_t hit = 0;
    Stamp lap;  // of this process: see Awaited
    MessageQuestion question;
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

    auto place() const { return std::tuple(comm, op, kind); }
    auto key() const { return std::tuple(place(), for_rank); }
    // Another call site.
    Row& operator+=(Row const& other) {
      auto const error = static_cast<double>(error_ns), more = static_cast<double>(other.error_ns);
      wait_ns += other.wait_ns;
      error_ns = rounded(square_root(error * error + more * more));
      return *this;
    }
  };

  void begin(MessageWaits& waits, std::int32_t rank, clock::Rate rate) {
    waits_ = &waits;
    rank_ = rank;
    rate_ = rate;
  }
  // Whether begin() was called: else there are no rows.
  bool is_joined() const { return waits_ != nullptr; }
  // Comms, in the order of their indices.
  void take(PageVector<Comm>& comms);
  CommIndex find(MessageComm const& name) const;  // unknown if this process has none, or not alike

  void ask();
  PageVector<ToAsk> const& questions() const { return questions_; }
  // Meetings about which this process asks; then those of all members, which it answers; then those with all answers.
  Meetings& meetings() { return meetings_; }
  void answer_meetings();
  void take_meetings();
  // Drops instants, so that there are not more questions for one process than that.
  void thin(std::uint64_t most_questions);
  // A question of another process.
  MessageAnswer answer(MessageQuestion const& question) const;
  void take(ToAsk const& question, MessageAnswer const& answer);

  // After all answers: because of whom the process waits. The caller lets it judge, and follow the chains.
  void find_waits();
  Causes& causes() { return causes_; }

  // Takes what the process has counted, at any time after take().
  template <class Records>
  void count(Records const& records, Sites const& sites) {
    make_rows(sites);
    for (Record const& record : records)
      add(record.key.comm(), record.key.op(), sites.site(record.key.scope()), record.calls, record.time);
    add(CommIndex::world, Op::Finalize, SiteIndex::none, 1, {});  // has no record
    for (PendingCounts::Kind const& kind : waits_->pending().kinds()) count(kind, sites);
  }
  // After all answers, and the ends of chains. False if memory is used up.
  bool finish();
  // What this process has waited because of others, in the order of these.
  struct Blame {
    std::int32_t to = 0;
    std::uint32_t entry = 0;  // of the log of `to`, by which it came
    instants::Cell cell = 0;
    double wait_ns = 0;
    bool is_direct = false;  // this process has waited for the event of the entry
  };
  PageVector<Blame> const& blames() const { return blames_; }
  bool take(Blame const& blame) { return causing_.push_back(blame); }
  // False if memory is used up.
  bool finish_causes();
  // Rows of causes.csv.
  struct CauseRow {
    CommIndex comm = CommIndex::unknown;
    Op op = Op::count_;  // not known
    SiteIndex site = SiteIndex::none;
    std::uint64_t caused_ns = 0, error_ns = 0, direct_ns = 0;
  };
  PageVector<CauseRow> const& cause_rows() const { return cause_rows_; }
  MessageRows& rows() { return rows_; }
  MessageRows const& rows() const { return rows_; }
  PageVector<Row> const& by_rank() const { return by_rank_; }
  PageVector<Row> const& by_pair() const { return by_pair_; }
  // The waiting of this process in all its calls but MPI_Finalize, and the standard error of that.
  std::uint64_t measured_ns() const { return measured_ns_; }
  std::uint64_t measured_error_ns() const;
  // The part of the time in calls of the operation of which nothing is known: no instant in calls like these tells
  // whether they wait.
  double unknown_share(Op op) const;
  // The time from its entry into MPI_Finalize until all processes had entered it.
  std::optional<std::uint64_t> finalize_ns() const { return finalize_ns_; }
  void set_finalize(Ticks time) { finalize_ns_ = rate_.to_ns(time); }
  // What other processes, and this one, have waited because of this one.
  std::uint64_t caused_ns() const {
    std::uint64_t sum = 0;
    for (CauseRow const& row : cause_rows_) sum += row.caused_ns;
    return sum;
  }

 private:
  // What a call awaits of one kind at an instant: how many are late, are not, are not known.
  struct Counts {
    std::uint16_t late = 0, fine = 0, unknown = 0;
    std::int32_t whom = -1;  // the process that is the last to end the waiting
    Ticks when;
    Coming coming;
    Lap own;  // of this process, to be compared with that of the other one

    void add_late(std::int32_t rank, Ticks at, Coming const& how, Lap const& lap) {
      ++late;
      if (whom >= 0 && when >= at) return;
      whom = rank;
      when = at;
      coming = how;
      own = lap;
    }
  };
  // An instant in a spanning call.
  struct Hit {
    std::uint32_t span = 0;
    instants::Cell cell = 0;
    std::uint8_t level = 0, asked_level = 0, met_level = 0;  // met_level: how often meetings were halved
    bool is_dropped = false;
    Counts counts[4]{};  // by WaitKind; of no_progress, `late` are messages that are there

    Counts& of(WaitKind kind) { return counts[static_cast<std::size_t>(kind)]; }
    Counts const& of(WaitKind kind) const { return counts[static_cast<std::size_t>(kind)]; }
    unsigned halvings() const { return 0U + level + asked_level + met_level; }
    double weight() const { return static_cast<double>(std::uint64_t{1} << std::min(halvings(), 62U)); }
  };
  struct OwnRow {
    CommIndex comm{};
    Op op{};
    SiteIndex site{};
    WaitKind kind{};
    MessageRow sum;
    double chain_ns = 0;        // what a weight of a chain stands for
    unsigned level = 0;         // the highest one of its instants, also of those that are dropped
    bool is_estimated = false;  // its time, from its instants
    std::uint32_t latest_span = 0;
    MessageRow::CallWeight latest_call;  // the one of that span

    auto key() const { return std::tuple(comm, op, site, kind); }
  };
  // Where an instant lies in a call, or has found a request pending: others have no row.
  struct Place {
    CommIndex comm{};
    Op op{};
    SiteIndex site{};
    bool is_pending = false;

    friend auto operator<=>(Place const&, Place const&) = default;
  };
  struct Pair {
    std::uint32_t row = 0;
    std::int32_t rank = 0;
    double weight = 0;

    auto key() const { return std::tuple(row, rank); }
    Pair& operator+=(Pair const& other) {
      weight += other.weight;
      return *this;
    }
  };
  // The instants in calls of an operation, and those of them about which nothing is known, by their weights.
  struct OfOperation {
    Op op{};
    double all = 0, unknown = 0;
  };
  // What a chain adds to the cause of a row, before the time of that is known.
  struct Caused {
    std::uint32_t row = 0;
    double weight = 0;
    Causes::Chain const* chain = nullptr;
  };

  struct Named {
    MessageComm name;
    CommIndex index{};
  };

  bool is_known_alike(CommIndex comm) const {
    auto const i = static_cast<std::size_t>(comm);
    return i < comms_.size() && (comms_.begin() + i)->is_known_alike;
  }
  Comm const& comm_of(CommIndex comm) const {
    static constexpr Comm none;  // for lack of memory
    auto const i = static_cast<std::size_t>(comm);
    return i < comms_.size() ? *(comms_.begin() + i) : none;
  }
  struct ToMeet {
    std::uint32_t hit = 0;
    Awaited awaited;
  };

  static Ticks end_of(SpanningCall const& span);
  Ticks both_clocks() const { return waits_->clock_error() + waits_->clock_error(); }  // their error
  static bool is_in_program(Op op, WaitKind kind);
  void ask_about(std::uint32_t hit, SpanningCall const& span, Ticks at);
  bool ask_members(std::uint32_t hit, Awaited const& one);
  bool add_meeting_heads();
  void take(ToMeet const& asked, Meeting const* meeting, MessageHead const* head);
  bool is_late(Hit const& hit, WaitKind kind) const;
  bool is_known(Hit const& hit, WaitKind kind) const;
  std::optional<WaitKind> kind_of(Hit const& hit) const;
  // What others can compare of this process: since the event before of a stream, or since it was aligned.
  Lap lap_of(Stamp lap, std::uint32_t aligned) const;
  Lap lap_for(Coming const& coming, std::uint32_t hit, Stamp of_stream) const;
  Coming coming_of(MessageWaits::Answer const& answer) const;
  double ns_of(Ticks time) const { return static_cast<double>(waits_->is_common() ? time.count : rate_.to_ns(time)); }
  void turn_into_time(OwnRow& row) const;
  void add_blames();
  void find_idle();
  SiteIndex site_of(ScopeIndex scope) const {
    auto const i = static_cast<std::size_t>(scope);
    return i < sites_.size() ? *(sites_.begin() + i) : SiteIndex::none;
  }
  // The time that an instant of weight 1 stands for.
  double cell_ns() const { return ns_of({std::uint64_t{1} << instants::cell_bits}); }
  void add(CommIndex comm, Op op, SiteIndex site, std::uint64_t calls, Ticks time);
  void make_rows(Sites const& sites);
  void count(PendingCounts::Kind const& kind, Sites const& sites);
  template <class Visitor>
  void visit_rows(Hit const& hit, Visitor&& visit);
  void choose_times();
  void count(Hit const& hit, OwnRow& row, double share);
  void count_unknown();
  void add_pairs();
  OwnRow* find(CommIndex comm, Op op, SiteIndex site, WaitKind kind);

  MessageWaits* waits_ = nullptr;
  std::int32_t rank_ = 0;
  clock::Rate rate_{};
  PageVector<Comm> comms_;
  PageVector<Named> named_;      // those that are known alike, in the order of their names
  PageVector<SiteIndex> sites_;  // of the scopes
  PageVector<Hit> hits_;
  PageVector<ToAsk> questions_;
  PageVector<ToMeet> to_meet_;
  Meetings meetings_;
  Causes causes_;
  PageVector<instants::Cell> idle_;  // instants outside MPI, with requests pending
  PageVector<OwnRow> own_rows_;      // in order
  PageVector<Pair> pairs_;
  PageVector<Caused> caused_;
  PageVector<Blame> blames_, causing_;  // of others, and of this process
  PageVector<CauseRow> cause_rows_;
  MessageRows rows_;
  PageVector<Row> by_rank_, by_pair_;
  PageVector<OfOperation> of_operations_;
  std::uint64_t measured_ns_ = 0;
  std::optional<std::uint64_t> finalize_ns_;  // nothing if the process was killed
};

// The kinds of waiting in calls, in this order: a call waits for receivers, and then for progress, only when nothing
// else is missing.
inline constexpr WaitKind kinds_of_calls[] = {WaitKind::late_sender, WaitKind::collective, WaitKind::late_receiver,
                                              WaitKind::no_progress};
// Whether waiting of this kind is possible in the operation.
bool can_wait(Op op, WaitKind kind);

}  // namespace commprof
