// Finds out how long calls wait for messages of other processes, from samples of time.
//
// At an instant, a process waits for a late sender if it is in a receiving call and a message that the call awaits has
// not been sent; for a late receiver, if it is in a sending call whose receive has not been posted; for members of a
// communicator that have not entered a collective call. While the program runs, a process keeps what the others need to
// answer that:
//
//   streams    how many messages of each stream it has sent, or posted receives for
//   log        the number of a stream's messages at each instant after which it has changed
//   spans      the calls in which an instant lies, with the messages that they await
//   pending    how many requests were pending at instants
//   posted     receives from any source or with any tag, whose stream is not known yet
//
// A receive has the number of its message when it is posted; one whose stream is not known, when it completes.
// In MPI_Finalize, processes ask each other: finalize/exchanges.cpp. docs/waiting.md says what that can know.
//
// Counting takes no lock. The rest, which happens once for a stream and instant or for a call in which an instant lies,
// takes one if several threads may call MPI. Does not know MPI.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "base/index.hpp"
#include "base/kept_vector.hpp"
#include "base/memory.hpp"
#include "calls/families.hpp"
#include "counters/counters.hpp"
#include "message_waits/streams.hpp"
#include "ops.hpp"

namespace commprof {

// The number of a message in its stream. A ticket stands for the number of a posted receive that has none yet.
struct MessageNumber {
  std::uint32_t value = Streams::no_number;
  bool is_ticket = false;
};

// A message that a call awaits, or the receive of a message that it sends, or members of a communicator that are to
// enter a collective call.
struct Awaited {
  static constexpr Stamp no_lap{UINT32_MAX, 0};  // not known

  CommIndex comm = CommIndex::unknown;
  std::int32_t peer = 0;  // rank in the communicator; of members: the root, or StreamKey::everybody
  std::int32_t tag = 0;   // of members: what they share, a Joint
  WorldRank world_rank = WorldRank::elsewhere;  // of the peer
  std::uint32_t number = Streams::no_number;
  Way way = Way::in;
  bool is_ticket = false;  // number is a ticket
  Stamp lap = no_lap;      // since the event before of its stream
  // With a ticket: 1 + the index of the one before with this ticket, as of a loop of polls in which several instants
  // lie. 0: there is none.
  std::uint32_t before = 0;
  enum What : std::uint8_t {
    message,
    nothing,  // a message to or from MPI_PROC_NULL, or an inactive request
    other,    // something of which nothing is known
    members,  // that are to enter a collective call
  } what = message;

  bool is_of_members() const { return what == members; }
  WaitKind kind() const {
    if (is_of_members()) return WaitKind::collective;
    return way == Way::in ? WaitKind::late_sender : WaitKind::late_receiver;
  }
  StreamKey key() const {
    return is_of_members() ? StreamKey::of_members(comm, static_cast<calls::Joint>(tag))
                           : StreamKey::of(way, comm, peer, tag);
  }
  bool has_number() const { return !is_ticket && number != Streams::no_number; }
  bool is_known() const { return what == message && has_number(); }
};

// A call in which an instant lies. Without a message, it is one in which the process may wait for others: nobody knows
// for whom.
struct SpanningCall {
  static constexpr std::size_t most_awaited = 128;

  Ticks entry, exit;
  std::uint32_t first = 0;  // index of the first message that it awaits
  std::uint16_t count = 0;  // of these messages
  Op op{};
  ScopeIndex scope{};
  bool ends_with_any = false;  // ends as soon as one of them is there; else with the last one
  Stamp lap{};                 // until its entry, since the process was aligned with all others
  std::uint32_t aligned = 0;   // by which call: see Entry
};

class MessageWaits {
 public:
  // An entry of the log: at instant `label`, the stream had `count` messages, and the next one came at `time`.
  //
  // What the process has done before says whether it is late by its own doing. So the entry has the time since the
  // event before of the stream, or since the process was aligned with all others, if that is later: when a collective
  // call ended that no member leaves before all processes have entered it. Both ends of a stream can compare that.
  struct Entry {
    static constexpr std::uint32_t by_stream = UINT32_MAX, by_begin = 0;

    std::uint64_t key = 0;
    Ticks time;
    std::uint32_t label = 0;
    std::uint32_t count = 0;
    Stamp lap;
    std::uint32_t aligned = by_begin;  // by_stream: by the event before; else a number of the collective call
    std::uint32_t detail = RecordKey::of_nothing;  // of the key of the call that came then, without size
  };

  // What lies in the spool, besides the vectors. Numbers in place of bools: a damaged file might have others.
  struct Kept {
    PlacedInstants instants;
    Ticks noticed;  // time of the latest pass()
    Streams::Choice choice;
    std::uint32_t is_on = 0;
    std::uint32_t is_changing = 0;
    std::uint32_t is_broken = 0;     // memory is used up: nothing is known
    std::uint32_t must_convert = 0;  // hosts have clocks of their own
    std::uint32_t is_threaded = 0;   // several threads may call MPI: pending requests are not counted
  };
  // What a reader has found in a spool file.
  struct Found {
    Kept const& kept;
    std::span<Streams::Slot const> streams;
    std::span<Entry const> log;
    std::span<SpanningCall const> spans;
    std::span<Awaited const> awaited;
    std::span<PendingCounts::Kind const> pending;
    std::size_t comms = 0, scopes = 0;  // that there are
  };

  // In place of begin(), for the object of a process that was killed. False if it had not begun, was just changing what
  // is read, or the file is damaged: then nothing is known of it.
  bool restore(Found const& found);

  // offset: see PlacedInstants.
  void begin(Ticks now, std::optional<ClockOffset> const& offset = std::nullopt);
  void begin_threads();
  bool is_on() const { return streams_.is_on(); }

  // Whether an instant lies before `time` that was not noticed yet.
  [[gnu::always_inline]] bool is_due(Ticks time) const { return time.count >= next_.load(std::memory_order_relaxed); }
  // Whether an instant may lie in a call that ends now. Another thread may have noticed it already.
  [[gnu::always_inline]] bool may_span(Interval call) const {
    Ticks const entry = call.end - call.elapsed;
    return is_due(call.end) || entry.count < latest_.load(std::memory_order_relaxed);
  }

  // Notices the instants until the exit of a call.
  [[gnu::noinline, gnu::cold]] void pass(Ticks entry, Ticks exit);

  // Counts a message that is sent, or whose receive is posted, in a call of the thread that began at this time.
  [[gnu::always_inline]] std::uint32_t count(StreamKey key, Ticks at, Op op = {}) {
    if (!key) [[unlikely]]
      return Streams::no_number;
    if (is_due(at)) [[unlikely]]
      pass(at, at);
    Stream* const stream = streams_.find_or_add(key);
    if (stream == nullptr) [[unlikely]]
      return Streams::no_number;
    std::uint32_t number = 0;
    std::atomic_ref const counted(stream->count);
    if (state.is_threaded()) [[unlikely]] {
      number = counted.fetch_add(1, std::memory_order_relaxed);
    } else {
      number = counted.load(std::memory_order_relaxed);
      counted.store(number + 1, std::memory_order_relaxed);
    }
    stamp(*stream, number, Stamp::of(at, this_thread.current_call->outside_before()));
    if (std::atomic_ref(stream->label).load(std::memory_order_relaxed) < label_.load(std::memory_order_relaxed))
        [[unlikely]]
      log(key, *stream, number, at, op);
    return number;
  }
  // A call with this number has ended that no process leaves before all have entered it.
  [[gnu::always_inline]] void align(CommIndex comm, std::uint32_t number, Ticks end) {
    aligned_.set(comm, number, end, this_thread.current_call->outside_before());
  }
  static constexpr unsigned number_bits = 20;  // of Entry::aligned, but for the communicator
  // Counts a receive that is posted. source, tag: any_peer, any_tag if they are not known; it gets a ticket then.
  MessageNumber post(CommIndex comm, std::int32_t source, std::int32_t tag, Ticks at, Op op = {});
  static constexpr std::int32_t any_peer = -100, any_tag = -100;

  // The receive of a ticket has completed.
  void complete(std::uint32_t ticket, std::int32_t source, std::int32_t tag);
  void cancel(std::uint32_t ticket);
  // What the receive of this ticket gets will not be known, nor then what later receives of its communicator get.
  void lose(std::uint32_t ticket);

  // A message was cancelled. If its stream has later ones, nothing is known of it any more.
  void give_back(StreamKey key, std::uint32_t number);

  // Whether an instant may have been noticed since then.
  [[gnu::always_inline]] bool has_passed_since(Ticks since) const {
    return since.count < latest_.load(std::memory_order_relaxed);
  }
  // A request was pending since then, and is not any more. Must follow pass() of the call that ends it.
  void add_pending(RecordKey key, Ticks since);

  // It is not known whether the stream, or which stream of the communicator's receives, has had one more message. So
  // nothing is known of these any more.
  void doubt(StreamKey key);
  void doubt_receives(CommIndex comm) { doubt(StreamKey::of_receives(comm)); }
  bool is_doubtful(StreamKey key) const;

  // Keeps a call in which an instant lies.
  void span(SpanningCall const& call, Awaited const* awaited, std::size_t count);

  // The world rank of a process in a communicator, once learnt.
  void learn(CommIndex comm, std::int32_t peer, WorldRank rank);
  WorldRank world_rank(CommIndex comm, std::int32_t peer);

  // Somebody else wants calls to be noticed: the next one that ends at `next` or later, and those that were under way
  // at `latest`. For them, is_due() and may_span() are true, too.
  void wake_at(Ticks next, Ticks latest);

  // No later call is noticed; used at the end of the run.
  void stop() { next_.store(UINT64_MAX, std::memory_order_relaxed); }
  unsigned level() const { return kept_->instants.level(); }
  // The number of a stream's messages, which the next one will have.
  std::uint32_t counted(StreamKey key) const {
    Stream const* const stream = key && is_on() ? streams_.find(key) : nullptr;
    if (stream == nullptr) return 0;
    return std::atomic_ref(const_cast<std::uint32_t&>(stream->count)).load(std::memory_order_relaxed);
  }
  // Whether the process was killed.
  bool is_cut_off() const { return known_until_ != Ticks{UINT64_MAX}; }
  PlacedInstants const& instants() const { return kept_->instants; }
  Ticks clock_error() const { return clock_error_; }
  KeptVector<SpanningCall> const& spans() const { return spans_; }
  PendingCounts const& pending() const { return pending_; }
  bool is_common() const { return kept_->must_convert != 0; }  // instants are nanoseconds of the first host's clock
  Awaited const& awaited(std::size_t i) const { return *(awaited_.begin() + i); }
  // The entries of the log, by their numbers after order(). nullptr: there is none.
  std::uint32_t number_of(Entry const& entry) const { return static_cast<std::uint32_t>(&entry - log_.begin()); }
  Entry const* entry(std::uint32_t number) const { return number < log_.size() ? log_.begin() + number : nullptr; }
  bool is_lost(CommIndex comm) const;

  // What another process wants to know about message `number` of a stream at an instant, and what is known.
  enum class Told : std::uint8_t {
    unknown,
    before,     // it was sent, or its receive posted, before the instant
    after,      // between the instant and the exit of the other process's call
    not_until,  // not before that exit: a sender did not wait
    not_kept,   // the instant is not kept
  };
  struct Question {
    std::uint32_t number = 0;
    instants::Cell cell = 0;
    Ticks at;    // when the other process placed the instant
    Ticks exit;  // of its call
  };
  struct Answer {
    Told told = Told::unknown;
    Ticks when{};                  // of the next message after the instant
    Entry const* entry = nullptr;  // which says so; nullptr: there was no message any more
  };
  // Must follow order(). Times are those of the common clock.
  Answer answer(StreamKey key, Question const& asked) const;
  // Prepares the answers. clock: the common clock, if the job has several hosts.
  void order(CommonClock const& clock = {});
  void order_by_first_host() { order(kept_->instants.clock_of_first_host()); }

  std::mutex mutex;

 private:
  // A posted receive whose stream is not known.
  struct Posted {
    CommIndex comm = CommIndex::unknown;  // unknown: the ticket is free
    Ticks at{};
    Stamp stamp{};
    std::uint32_t detail = RecordKey::of_nothing;
    std::uint32_t next = 0;     // ticket of the next free one
    std::uint32_t awaited = 0;  // 1 + the index of what the latest spanning call keeps of it
  };

  Kept own_kept_;  // without memory
  Kept* kept_ = &own_kept_;

  static constexpr std::size_t most_entries = 65536, most_of_instant = 128, most_spans = 4096, most_awaited = 32768,
                               most_posted = 4096, most_pairs = 65536;

  [[gnu::always_inline]] static void stamp(Stream& stream, std::uint32_t number, Stamp now) {
    Stamp& latest = stream.stamps[number % 2];
    std::atomic_ref(latest.at).store(now.at, std::memory_order_relaxed);
    std::atomic_ref(latest.outside).store(now.outside, std::memory_order_relaxed);
  }
  static std::uint32_t detail_of(Op op);
  // The time between a stream's event of this number and the one before; no_lap if it is not one of the latest two.
  Stamp lap_of(Stream const& stream, std::uint32_t number) const;
  [[gnu::noinline, gnu::cold]] void log(StreamKey key, Stream& stream, std::uint32_t number, Ticks at, Op op);
  void log_held(StreamKey key, Stream& stream, std::uint32_t number, Ticks at, std::uint32_t detail);
  std::uint32_t label_of(instants::Cell cell) const { return kept_->instants.label_of(cell); }
  instants::Cell cell_of(std::uint32_t label) const { return kept_->instants.cell_of(label); }
  std::uint32_t label_at(Ticks time) const;
  void set_next();
  void append(Entry const& entry);
  void shorten_log();
  void drop_streams();
  void raise_level();
  void thin_log();
  bool is_after_window(Entry const& entry) const;
  void thin_spans();
  Posted take_ticket(std::uint32_t ticket);
  void resolve(Posted const& one, StreamKey key, std::uint32_t number, Stamp lap = Awaited::no_lap);
  void mark_latest_awaited();
  void doubt_held(StreamKey key);
  WorldRank world_rank_held(CommIndex comm, std::int32_t peer) const;
  Posted& posted(std::uint32_t ticket) { return *(posted_.begin() + (ticket - 1)); }

  Streams streams_;
  std::atomic<std::uint64_t> next_{UINT64_MAX};  // when the next instant's window opens; in the window, the instant
  std::atomic<std::uint64_t> latest_{0};         // time of the latest instant that was noticed
  std::atomic<std::uint32_t> label_{0};          // of the latest instant; 0: there was none
  Ticks next_own_{UINT64_MAX};                   // the time of next_ without that of others
  Ticks next_of_others_{UINT64_MAX};
  std::size_t repeated_ = 0;  // entries in the window of the latest instant
  Stamp begun_;
  // The latest call that has aligned all processes; comm unknown: the begin. With several threads, it may be parts of
  // two; then nobody asks.
  class Aligned {
   public:
    [[gnu::always_inline]] void set(CommIndex comm, std::uint32_t number, Ticks end, Ticks outside) {
      comm_.store(comm, std::memory_order_relaxed);
      number_.store(number, std::memory_order_relaxed);
      end_.store(end, std::memory_order_relaxed);
      outside_.store(outside, std::memory_order_relaxed);
    }
    std::uint32_t packed() const {
      CommIndex const comm = comm_.load(std::memory_order_relaxed);
      if (comm == CommIndex::unknown) return Entry::by_begin;
      return (static_cast<std::uint32_t>(comm) + 1) << number_bits |
             (number_.load(std::memory_order_relaxed) & ((1U << number_bits) - 1));
    }
    Stamp at() const {
      return Stamp::of(end_.load(std::memory_order_relaxed), outside_.load(std::memory_order_relaxed));
    }

   private:
    std::atomic<CommIndex> comm_{CommIndex::unknown};
    std::atomic<std::uint32_t> number_{0};
    std::atomic<Ticks> end_{}, outside_{};
  } aligned_;
  Ticks clock_error_;
  Ticks known_until_{UINT64_MAX};  // what comes later was not seen any more
  KeptVector<Entry> log_{spool::Kind::message_log};
  KeptVector<SpanningCall> spans_{spool::Kind::spanning_calls};
  KeptVector<Awaited> awaited_{spool::Kind::awaited_messages};
  PendingCounts pending_;
  LastingVector<Posted> posted_;
  std::uint32_t free_ticket_ = 0;
  Index<StreamKey, WorldRank> world_ranks_;  // by communicator and peer
};

namespace message_waits {
extern constinit MessageWaits of_process;
}  // namespace message_waits

}  // namespace commprof
