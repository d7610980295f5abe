#include "message_waits/message_waits.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "ops.hpp"

using namespace commprof;
using Told = MessageWaits::Told;

namespace {

constexpr CommIndex third_comm{3};
constexpr std::uint64_t cell_ticks = std::uint64_t{1} << instants::cell_bits;
constexpr Ticks start{1'000'000 * cell_ticks};

// A question of a process that reads the same clock.
MessageWaits::Answer ask(MessageWaits const& waits, StreamKey key, std::uint32_t number, instants::Cell cell,
                         Ticks exit) {
  return waits.answer(key, {.number = number, .cell = cell, .at = instants::time_of(cell), .exit = exit});
}

// Calls visit(cell) for each instant that is kept after `begin`, until `end`.
template <class Visitor>
void for_each_kept(unsigned level, Ticks begin, Ticks end, Visitor&& visit) {
  for (instants::Cell cell = instants::cell_at(begin); instants::time_of(cell) <= end; ++cell)
    if (instants::is_kept(cell, level) && instants::time_of(cell) > begin) visit(cell);
}

// The messages of a stream, at these times.
struct Sent {
  StreamKey key;
  std::vector<Ticks> times;

  std::uint32_t until(Ticks time) const {
    return static_cast<std::uint32_t>(std::upper_bound(times.begin(), times.end(), time) - times.begin());
  }
};

// How many questions at an instant about the latest message before it and the first one after it are answered as it
// was.
struct Answered {
  int known = 0, late = 0, wrong = 0;

  void ask_at(MessageWaits const& waits, Sent const& sent, instants::Cell cell, Ticks exit) {
    std::uint32_t const before = sent.until(instants::time_of(cell));
    if (before > 0) ++(ask(waits, sent.key, before - 1, cell, exit).told == Told::before ? known : wrong);
    if (before == sent.times.size()) return;
    MessageWaits::Answer const answer = ask(waits, sent.key, before, cell, exit);
    bool const is_late = answer.told == Told::after && answer.when == sent.times[before];
    ++(is_late ? late : wrong);
  }
};

}  // namespace

TEST_CASE("what was sent until an instant is answered as it was") {
  static MessageWaits waits;
  waits.begin(start);
  REQUIRE(waits.is_on());
  std::mt19937 random(1);
  std::vector<Sent> all;
  for (int tag = 0; tag < 20; ++tag) all.push_back({StreamKey::of(Way::out, third_comm, 1, tag), {}});
  // Stream t sends about every (t + 1)² · 3 cells. The run has 30,000 cells, so the level rises to 5.
  Ticks now = start;
  for (int i = 0; i < 60'000; ++i) {
    now = now + Ticks{random() % cell_ticks};
    std::size_t const tag = static_cast<std::size_t>(random()) % 1000;
    std::size_t const stream = tag < 900 ? 0 : tag < 990 ? 1 + tag % 9 : 10 + tag % 10;
    CHECK(waits.count(all[stream].key, now) == all[stream].times.size());
    all[stream].times.push_back(now);
  }
  CHECK(waits.level() == 5);
  waits.order();
  Answered answered;
  for_each_kept(waits.level(), start + Ticks{2 * cell_ticks}, now, [&](instants::Cell cell) {
    for (Sent const& sent : all) answered.ask_at(waits, sent, cell, now);
  });
  CHECK((answered.known > 10'000 && answered.late > 10'000));
  CHECK(answered.wrong == 0);
  CHECK(ask(waits, StreamKey::of(Way::out, third_comm, 2, 0), 0, waits.instants().latest(now)->cell, now).told ==
        Told::unknown);
}

TEST_CASE("if there are too many streams, all is known of some and nothing of the others") {
  static MessageWaits waits;
  waits.begin(start);
  // 300 messages a cell, each of another stream.
  constexpr std::size_t tags = 20'000, messages = 200'000;
  std::vector<Sent> all;
  for (std::size_t tag = 0; tag < tags; ++tag)
    all.push_back({StreamKey::of(Way::out, third_comm, 1, static_cast<std::int32_t>(tag)), {}});
  Ticks now = start;
  for (std::size_t i = 0; i < messages; ++i) {
    now = now + Ticks{cell_ticks / 300};
    waits.count(all[i % tags].key, now);
    all[i % tags].times.push_back(now);
  }
  waits.order();
  CHECK(waits.level() <= 1);
  int known = 0, unknown = 0;
  for (Sent const& sent : all) {
    Answered of_stream;
    for_each_kept(waits.level(), start + Ticks{2 * cell_ticks}, now,
                  [&](instants::Cell cell) { of_stream.ask_at(waits, sent, cell, now); });
    bool const is_known = of_stream.known + of_stream.late > 0;
    CHECK((!is_known || of_stream.wrong == 0));
    ++(is_known ? known : unknown);
  }
  CHECK(known > 1000);
  CHECK(unknown > 1000);
}

TEST_CASE("a receive that is posted after the sender's call has not kept it") {
  static MessageWaits waits;
  waits.begin(start);
  StreamKey const key = StreamKey::of(Way::in, third_comm, 1, 0);
  auto const at = [](std::uint64_t cells) { return start + Ticks{cells * cell_ticks}; };
  for (std::uint64_t const cells : {5U, 15U, 25U}) waits.count(key, at(cells));
  waits.order();
  instants::Cell const cell = instants::cell_at(at(10));  // one is posted before
  CHECK(ask(waits, key, 0, cell, at(30)).told == Told::before);
  CHECK(ask(waits, key, 1, cell, at(20)).told == Told::after);
  CHECK(ask(waits, key, 1, cell, at(12)).told == Told::not_until);
  CHECK(ask(waits, key, 2, cell, at(30)).told == Told::after);
  CHECK(ask(waits, key, 2, cell, at(20)).told == Told::not_until);
  CHECK(ask(waits, key, 3, cell, at(30)).told == Told::not_until);
}

TEST_CASE("instants of a run of years are answered like those of the first days") {
  static MessageWaits waits;
  waits.begin(start);
  std::mt19937_64 random(3);
  Sent often{StreamKey::of(Way::out, third_comm, 1, 0), {}}, seldom{StreamKey::of(Way::out, third_comm, 1, 1), {}};
  Ticks now = start;
  for (int i = 0; i < 20'000; ++i) {
    now = now + Ticks{random() % (cell_ticks << 22)};
    Sent& stream = i % 50 == 0 ? seldom : often;
    CHECK(waits.count(stream.key, now) == stream.times.size());
    stream.times.push_back(now);
  }
  waits.order();
  CHECK((now - start).count / cell_ticks > std::uint64_t{1} << 34);
  Answered answered;
  waits.instants().for_each(start + Ticks{cell_ticks << 22}, now, [&](PlacedInstants::One const& instant) {
    for (Sent const* sent : {&often, &seldom}) answered.ask_at(waits, *sent, instant.cell, now);
  });
  CHECK((answered.known > 900 && answered.late > 900));
  CHECK(answered.wrong == 0);
}

TEST_CASE("a host with a clock of its own answers as it was") {
  // Its clock shows an hour less, and loses 3 ms in 1,000 seconds.
  constexpr std::uint64_t behind_ns = 3'600'000'000'000;
  auto const here_of = [](Ticks there) { return there - Ticks{behind_ns} - Ticks{(there - start).count / 333'333}; };
  bool const read_tsc = clock::reads_tsc;
  clock::reads_tsc = false;  // here, ticks are nanoseconds
  static MessageWaits waits;
  waits.begin(here_of(start), ClockOffset{static_cast<std::int64_t>(behind_ns) + 5'000, 6'000});
  std::mt19937 random(2);
  std::vector<Sent> all;
  for (int tag = 0; tag < 4; ++tag) all.push_back({StreamKey::of(Way::out, third_comm, 1, tag), {}});
  Ticks now = start;
  for (int i = 0; i < 400'000; ++i) {
    now = now + Ticks{random() % (4 * (std::uint64_t{10'000} << (i % 3)))};
    if (waits.is_due(here_of(now)) && i % 2 == 0) waits.span({.entry = here_of(now), .exit = here_of(now)}, nullptr, 0);
    Sent& stream = all[static_cast<std::size_t>(random() % 4)];
    CHECK(waits.count(stream.key, here_of(now)) == stream.times.size());
    stream.times.push_back(now);
  }
  CommonClock common;
  common.is_known = true;
  common.first = {here_of(start), start};
  common.last = {here_of(now), now};
  common.error_ns = 10;
  waits.order(common);
  clock::reads_tsc = read_tsc;
  int asked = 0, known = 0, farthest = 0;
  for_each_kept(waits.level(), start + Ticks{2 * cell_ticks}, now, [&](instants::Cell cell) {
    // The other process, on the first host, has placed it a little off, too.
    Ticks const instant = instants::time_of(cell) + Ticks{random() % 10'000};
    PlacedInstants::One const* const placed = waits.instants().find(cell);
    if (placed == nullptr) return;
    farthest = std::max(farthest, std::abs(static_cast<int>(placed->at.count - instant.count)));
    for (Sent const& sent : all) {
      std::uint32_t const before = sent.until(instant);
      if (before == 0 || before == sent.times.size()) continue;
      for (std::uint32_t const number : {before - 1, before}) {
        MessageWaits::Answer const answer =
            waits.answer(sent.key, {.number = number, .cell = cell, .at = instant, .exit = now});
        ++asked;
        if (answer.told == Told::unknown) continue;
        ++known;
        bool const is_near = sent.times[number] + Ticks{100} > instant && sent.times[number] < instant + Ticks{100};
        if (is_near) continue;
        CHECK((answer.told == Told::before) == (number < before));
      }
    }
  });
  CHECK(farthest > 20'000);
  CHECK(asked > 2'000);
  CHECK(known > asked * 9 / 10);
}

TEST_CASE("a call spans an instant that another thread has noticed before it ends") {
  static MessageWaits waits;
  waits.begin(start);
  Ticks const entry = start + Ticks{10 * cell_ticks};
  Ticks const instant = instants::time_of(instants::cell_at(entry)), exit = instant + Ticks{2};
  waits.count(StreamKey::of(Way::out, third_comm, 1, 0), instant + Ticks{1});
  CHECK_FALSE(waits.is_due(exit));
  CHECK(waits.may_span({exit - entry, exit}));
  CHECK_FALSE(waits.may_span({Ticks{1}, exit}));
}

TEST_CASE("a receive with a wildcard has its number when it completes, and so have the calls that await it") {
  static MessageWaits waits;
  waits.begin(start);
  Ticks now = start + Ticks{10 * cell_ticks};
  auto const next = [&] { return now = now + Ticks{1000}; };
  MessageNumber const wild = waits.post(third_comm, MessageWaits::any_peer, 4, next());
  REQUIRE(wild.is_ticket);
  MessageNumber const other_tag = waits.post(third_comm, 1, 5, next()), behind = waits.post(third_comm, 1, 4, next());
  CHECK((!other_tag.is_ticket && other_tag.value == 0));
  CHECK((!behind.is_ticket && behind.value == 0));
  MessageNumber const last = waits.post(third_comm, 1, MessageWaits::any_tag, next());
  REQUIRE(last.is_ticket);
  // The calls that await them keep their tickets, until they have numbers.
  Awaited const awaited[] = {{.comm = third_comm, .number = last.value, .is_ticket = true},
                             {.comm = third_comm, .number = wild.value, .is_ticket = true}};
  waits.span({.entry = start, .exit = now + Ticks{20 * cell_ticks}}, awaited, 2);
  waits.span({.entry = start, .exit = now + Ticks{21 * cell_ticks}}, awaited, 1);
  waits.complete(last.value, 1, 4);
  CHECK_FALSE(waits.awaited(1).is_known());
  for (std::size_t const i : {0U, 2U}) {
    CHECK(waits.awaited(i).number == 1);
    CHECK(waits.awaited(i).tag == 4);
  }
  waits.complete(wild.value, 1, 4);
  CHECK(waits.awaited(1).number == 2);
  CHECK(waits.awaited(1).peer == 1);
  CHECK(waits.post(third_comm, 1, 4, next()).value == 3);
  CHECK(waits.counted(StreamKey::of(Way::in, third_comm, 1, 5)) == 1);
}

TEST_CASE("a wildcard that is cancelled takes no number, and one whose message nobody knows ends the numbers") {
  static MessageWaits waits;
  waits.begin(start);
  Ticks const now = start + Ticks{10 * cell_ticks};
  MessageNumber const first = waits.post(third_comm, MessageWaits::any_peer, 4, now);
  waits.cancel(first.value);
  CHECK(waits.post(third_comm, 1, 4, now).value == 0);
  MessageNumber const second = waits.post(third_comm, MessageWaits::any_peer, 4, now);
  CHECK_FALSE(waits.is_lost(third_comm));
  waits.lose(second.value);
  CHECK(waits.is_lost(third_comm));
}

TEST_CASE(
    "the latest message of a stream is cancelled without a trace, however often, and an earlier one is doubtful") {
  static MessageWaits waits;
  waits.begin(start);
  StreamKey const key = StreamKey::of(Way::in, third_comm, 1, 0);
  waits.give_back(key, waits.count(key, start));
  std::size_t const before = mapped_bytes();
  for (int i = 0; i < 100'000; ++i) waits.give_back(key, waits.count(key, start));
  CHECK(waits.count(key, start) == 0);
  CHECK(mapped_bytes() == before);
  CHECK(waits.count(key, start) == 1);
  CHECK_FALSE(waits.is_doubtful(key));
  waits.give_back(key, 0);
  CHECK(waits.is_doubtful(key));
}

TEST_CASE("receives with wildcards on many communicators find their own") {
  static MessageWaits waits;
  waits.begin(start);
  Ticks const now = start + Ticks{10 * cell_ticks};
  constexpr std::uint32_t comms = 5000, with_keys = 4095;
  std::vector<MessageNumber> wild;
  for (std::uint32_t i = 0; i < comms; ++i)
    wild.push_back(waits.post(static_cast<CommIndex>(i), MessageWaits::any_peer, 4, now));
  for (std::uint32_t i = 0; i < comms; ++i) {
    REQUIRE(wild[i].is_ticket == (i < with_keys));
    if (wild[i].is_ticket) waits.complete(wild[i].value, 1, 4);
    CHECK(waits.post(static_cast<CommIndex>(i), 1, 4, now).value == (i < with_keys ? 1 : Streams::no_number));
  }
  for (std::uint32_t i = 0; i < comms; i += 2) waits.doubt_receives(static_cast<CommIndex>(i));
  for (std::uint32_t i = 0; i < with_keys; ++i) CHECK(waits.is_lost(static_cast<CommIndex>(i)) == (i % 2 == 0));
}

TEST_CASE("a request is pending at the instants between its begin and its end") {
  static MessageWaits waits;
  waits.begin(start);
  std::mt19937 random(4);
  struct Span {
    RecordKey key;
    Ticks since, until;
  };
  std::vector<Span> spans;
  RecordKey const keys[] = {RecordKey::of(third_comm, ScopeIndex::main, Op::Irecv, {}),
                            RecordKey::of(third_comm, ScopeIndex::main, Op::Isend, {})};
  for (int i = 0; i < 20'000; ++i) {
    Ticks const since = start + Ticks{random() % (3000 * cell_ticks)};
    spans.push_back({keys[random() % 2], since, since + Ticks{random() % (500 * cell_ticks)}});
  }
  std::sort(spans.begin(), spans.end(), [](Span const& a, Span const& b) { return a.until < b.until; });
  Ticks entry = start;
  for (Span const& span : spans) {
    waits.pass(entry, span.until);
    waits.add_pending(span.key, span.since);
    entry = span.until;
  }
  CHECK(waits.level() == 2);  // 3,500 cells, of which one in 4 has one of at most 1,024 instants
  REQUIRE(waits.pending().kinds().size() == 2);
  for (PendingCounts::Kind const& kind : waits.pending().kinds()) {
    std::int64_t pending = 0;
    for (std::size_t i = 0; i < waits.instants().size(); ++i) {
      Ticks const at = waits.instants()[i].at;
      pending += kind.changes[i];
      CHECK(pending == std::count_if(spans.begin(), spans.end(), [&](Span const& one) {
              return one.key == kind.key && one.since < at && at <= one.until;
            }));
    }
  }
}

TEST_CASE("memory stays bounded") {
  static MessageWaits waits;
  waits.begin(start);
  std::size_t const before = mapped_bytes();
  Ticks now = start;
  std::vector<Awaited> const awaited(128, {.comm = third_comm, .peer = 1, .number = 0});
  for (int i = 0; i < 20'000; ++i) {
    Ticks const entry = now;
    now = now + Ticks{cell_ticks / 2};
    for (int tag = 0; tag < 200; ++tag) waits.count(StreamKey::of(Way::out, third_comm, tag, i), now);
    if (waits.is_due(now)) waits.span({.entry = entry, .exit = now, .op = Op::Waitall}, awaited.data(), 128);
  }
  CHECK(waits.level() > 0);
  CHECK(mapped_bytes() - before < std::size_t{9} << 20);  // docs/memory.md
}
