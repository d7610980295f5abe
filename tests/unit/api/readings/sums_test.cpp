#include "api/readings/sums.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <thread>

#include "support/memory_shortage.hpp"

using namespace commprof;
using namespace commprof::readings;

namespace {

// The shards outlive every test, so each test counts on communicators of its own.
RecordKey key(CommIndex comm, std::uint16_t op, std::uint16_t region = 0, std::uint8_t bin = 0) {
  return RecordKey::of(comm, static_cast<ScopeIndex>(region), static_cast<Op>(op), static_cast<SizeBin>(bin));
}

void count(RecordKey where, Volume volume, std::uint64_t ticks) { Shards::mine()->add(where, volume, {ticks}); }

void send(CommIndex comm, Peer peer, std::uint64_t bytes, std::uint16_t region = 0) {
  Shards::mine()
      ->peers
      .find_or_insert(key(comm, 0, region, static_cast<std::uint8_t>(size_bin(bytes))), peer,
                      [] { return WorldRank{0}; })
      ->add(bytes);
}

void check(CallSums const& sums, std::uint64_t calls, std::uint64_t sent, std::uint64_t received, std::uint64_t ticks) {
  CHECK(sums.calls == calls);
  CHECK(sums.bytes.sent == sent);
  CHECK(sums.bytes.received == received);
  CHECK(sums.time.count == ticks);
}

std::map<int, MessageSums> messages_on(CommIndex comm, Baseline const* baseline = nullptr) {
  std::map<int, MessageSums> sums;
  for_each_peer(comm, baseline, [&](Peer peer, MessageSums const& more) { sums[peer.rank()] += more; });
  return sums;
}

}  // namespace

TEST_CASE("a reading sums up regions, sizes and threads, and tells communicators and operations apart") {
  auto const comm = CommIndex{700}, other = CommIndex{701};
  count(key(comm, 1), {10, 1}, 100);
  count(key(comm, 1, 1, 3), {20, 2}, 200);
  count(key(comm, 2), {40, 4}, 400);
  count(key(other, 1), {1, 1}, 1);
  std::thread([&] { count(key(comm, 1), {80, 8}, 800); }).join();
  std::thread([&] { count(key(comm, 1, 2), {160, 16}, 1600); }).join();
  check(calls_on(comm, static_cast<Op>(1)), 4, 10 + 20 + 80 + 160, 1 + 2 + 8 + 16, 100 + 200 + 800 + 1600);
  check(calls_on(comm, static_cast<Op>(2)), 1, 40, 4, 400);
  check(calls_on(comm, std::nullopt), 5, 310, 31, 3100);
  check(calls_on(comm, static_cast<Op>(3)), 0, 0, 0, 0);
  check(calls_on(CommIndex{702}, std::nullopt), 0, 0, 0, 0);
}

TEST_CASE("a baseline leaves out what was counted before, and changes no record") {
  auto const comm = CommIndex{710};
  Baseline baseline;
  count(key(comm, 1), {10, 1}, 100);
  check(calls_on(comm, std::nullopt, &baseline), 1, 10, 1, 100);
  REQUIRE(baseline.take());
  check(calls_on(comm, std::nullopt, &baseline), 0, 0, 0, 0);
  count(key(comm, 1), {20, 2}, 200);
  count(key(comm, 2), {40, 4}, 400);  // a new record
  check(calls_on(comm, std::nullopt, &baseline), 2, 60, 6, 600);
  check(calls_on(comm, std::nullopt), 3, 70, 7, 700);
  REQUIRE(baseline.take());
  std::thread([&] { count(key(comm, 2), {1, 1}, 1); }).join();
  check(calls_on(comm, std::nullopt, &baseline), 1, 1, 1, 1);
}

TEST_CASE("messages are those that were sent point-to-point") {
  auto const comm = CommIndex{720};
  Baseline baseline;
  send(comm, Peer::in_comm(3, MessageClass::p2p), 8);
  send(comm, Peer::in_comm(3, MessageClass::p2p), 1000, 1);
  send(comm, Peer::in_comm(4, MessageClass::p2p), 0);
  send(comm, Peer::in_comm(3, MessageClass::rma), 8);
  send(comm, Peer::in_comm(3, MessageClass::rma, true), 8);
  send(comm, Peer::in_comm(3, MessageClass::internal), 8);
  send(CommIndex{721}, Peer::in_comm(3, MessageClass::p2p), 8);
  auto sums = messages_on(comm);
  CHECK(sums.size() == 2);
  CHECK(sums[3].messages == 2);
  CHECK(sums[3].bytes == 1008);
  CHECK(sums[4].messages == 1);
  CHECK(sums[4].bytes == 0);

  REQUIRE(baseline.take());
  CHECK(messages_on(comm, &baseline).empty());
  send(comm, Peer::in_comm(4, MessageClass::p2p), 5);
  sums = messages_on(comm, &baseline);
  CHECK(sums.size() == 1);
  CHECK(sums[4].bytes == 5);
  CHECK(messages_on(comm)[3].messages == 2);
}

TEST_CASE("without memory for a baseline, sums are those since the beginning") {
  auto const comm = CommIndex{730};
  count(key(comm, 1), {10, 1}, 100);
  Baseline baseline;
  {
    MemoryShortage const shortage(0);
    CHECK_FALSE(baseline.take());
  }
  check(calls_on(comm, std::nullopt, &baseline), 1, 10, 1, 100);
  CHECK(baseline.take());
  check(calls_on(comm, std::nullopt, &baseline), 0, 0, 0, 0);
}
