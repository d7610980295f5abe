#include "counters/peers.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <tuple>

#include "base/memory.hpp"
#include "support/memory_shortage.hpp"

using namespace commprof;

namespace {

RecordKey key_of(unsigned comm, unsigned bin) {
  return RecordKey::of(static_cast<CommIndex>(comm), ScopeIndex::main, no_op, static_cast<SizeBin>(bin));
}

PeerRecord* find_or_insert(PeerTable& table, RecordKey key, Peer peer) {
  return table.find_or_insert(key, peer, [] { return WorldRank{70}; });
}

PeerRecord& found(PeerTable& table, RecordKey key, Peer peer) {
  PeerRecord* const record = find_or_insert(table, key, peer);
  REQUIRE(record != nullptr);
  return *record;
}

std::size_t size_of(PeerTable const& table) {
  std::size_t size = 0;
  table.for_each([&](PeerRecord const&) { ++size; });
  return size;
}

}  // namespace

TEST_CASE("a peer keeps its rank, its class and its direction") {
  for (MessageClass const message_class : {MessageClass::p2p, MessageClass::rma, MessageClass::internal}) {
    for (int const rank : {0, 1, 123'456, 0x7fff'ffff}) {
      for (bool const is_source : {false, true}) {
        Peer const in_comm = Peer::in_comm(rank, message_class, is_source);
        Peer const in_world = Peer::in_world(static_cast<WorldRank>(rank), message_class, is_source);
        CHECK(in_comm.rank() == rank);
        CHECK(in_comm.message_class() == message_class);
        CHECK(in_comm.is_source() == is_source);
        CHECK_FALSE(in_comm.is_in_world());
        CHECK(in_world.rank() == rank);
        CHECK(in_world.message_class() == message_class);
        CHECK(in_world.is_in_world());
        CHECK_FALSE(in_comm == in_world);
      }
    }
  }
  CHECK(Peer::in_world(WorldRank::elsewhere, MessageClass::p2p).rank() == -1);
}

TEST_CASE("a record is made once, new and with its world rank, and recalled once it was found") {
  auto const table = std::make_unique<PeerTable>();
  Peer const peer = Peer::in_comm(3, MessageClass::p2p);
  CHECK(table->recall(key_of(0, 4), peer) == nullptr);
  PeerRecord& record = found(*table, key_of(0, 4), peer);
  CHECK(record.world_rank == WorldRank{70});
  CHECK(record.messages == 0);
  record.add(9);
  record.add(15);
  CHECK(record.messages == 2);
  CHECK(record.bytes == 24);
  CHECK(table->recall(key_of(0, 4), peer) == &record);
  CHECK(&found(*table, key_of(0, 4), peer) == &record);
  // The world rank of an existing record is not asked for, because that is a call of MPI.
  CHECK(table->find_or_insert(key_of(0, 4), peer, []() -> WorldRank { throw std::logic_error("asked"); }) == &record);
  // Another size, another communicator, another peer and another direction have records of their own.
  CHECK(table->recall(key_of(0, 5), peer) == nullptr);
  CHECK(&found(*table, key_of(0, 5), peer) != &record);
  CHECK(&found(*table, key_of(1, 4), peer) != &record);
  CHECK(&found(*table, key_of(0, 4), Peer::in_comm(2, MessageClass::p2p)) != &record);
  CHECK(&found(*table, key_of(0, 4), Peer::in_comm(3, MessageClass::p2p, true)) != &record);
  CHECK(size_of(*table) == 5);
}

TEST_CASE("others see a peer with its world rank, and with all bytes of the messages that they see") {
  constexpr int peers = 500, messages = 500;
  auto const table = std::make_unique<PeerTable>();
  std::atomic<bool> done{false};
  std::thread thread([&] {
    for (int rank = 0; rank < peers; ++rank)
      for (int i = 0; i < messages; ++i) found(*table, key_of(0, 4), Peer::in_comm(rank, MessageClass::p2p)).add(9);
    done = true;
  });
  std::uint64_t lacking = 0, all;
  do {
    all = 0;
    int rank = 0;
    table->for_each([&](PeerRecord const& record) {
      bool const is_made = record.peer.rank() == rank++ && record.world_rank == WorldRank{70};
      if (!is_made || record.bytes < 9 * record.messages) ++lacking;
      all += record.messages;
    });
  } while (!done || all < std::uint64_t{peers} * messages);
  thread.join();
  CHECK(lacking == 0);
  CHECK(all == std::uint64_t{peers} * messages);
}

TEST_CASE("any number of peers is told apart, as a map would") {
  auto const table = std::make_unique<PeerTable>();
  std::map<std::tuple<unsigned, unsigned, int>, std::uint64_t> model;
  std::mt19937 random(7);
  for (int step = 0; step < 200'000; ++step) {
    auto const comm = static_cast<unsigned>(random() % 5), bin = static_cast<unsigned>(random() % 12);
    int const rank = static_cast<int>(random() % 300);
    RecordKey const key = key_of(comm, bin);
    Peer const peer = Peer::in_comm(rank, MessageClass::p2p);
    PeerRecord* const recent = table->recall(key, peer);
    (recent != nullptr ? *recent : found(*table, key, peer)).add(static_cast<std::uint64_t>(rank));
    model[{comm, bin, rank}] += static_cast<std::uint64_t>(rank);
  }
  CHECK(size_of(*table) == model.size());
  table->for_each([&](PeerRecord const& record) {
    auto const known = model.find(
        {static_cast<unsigned>(record.key.comm()), static_cast<unsigned>(record.key.bin()), record.peer.rank()});
    REQUIRE(known != model.end());
    REQUIRE(known->second == record.bytes);
  });
}

TEST_CASE("memory grows with the peers that are used, not with their ranks") {
  auto const table = std::make_unique<PeerTable>();
  std::size_t const before = mapped_bytes();
  for (int i = 0; i < 50; ++i) found(*table, key_of(0, 4), Peer::in_comm(i * 40'000'000, MessageClass::p2p)).add(8);
  // One chunk of 64 records and an index of 256 addresses.
  CHECK(mapped_bytes() - before == 64 * sizeof(PeerRecord) + 256 * sizeof(void*));
}

TEST_CASE("without memory a peer has no record, and one later") {
  auto const table = std::make_unique<PeerTable>();
  Peer const peer = Peer::in_comm(1, MessageClass::p2p);
  {
    MemoryShortage const shortage;
    CHECK(find_or_insert(*table, key_of(0, 1), peer) == nullptr);
  }
  {
    MemoryShortage const shortage(1);  // the index, but no records
    CHECK(find_or_insert(*table, key_of(0, 1), peer) == nullptr);
  }
  found(*table, key_of(0, 1), peer).add(1);
  CHECK(size_of(*table) == 1);
}

TEST_CASE("an index that cannot grow is used until it is full") {
  auto const table = std::make_unique<PeerTable>();
  for (int i = 0; i < 128; ++i) found(*table, key_of(0, 1), Peer::in_comm(i, MessageClass::p2p)).add(1);
  std::size_t taken = 128;
  {
    MemoryShortage const shortage;
    while (taken < 1000 &&
           find_or_insert(*table, key_of(0, 1), Peer::in_comm(static_cast<int>(taken), MessageClass::p2p)) != nullptr)
      ++taken;
    CHECK(taken == 192);  // chunks of 64 and 128 records; the index of 256 has room for more
    CHECK(find_or_insert(*table, key_of(0, 1), Peer::in_comm(5, MessageClass::p2p))->messages == 1);
    CHECK(find_or_insert(*table, key_of(9, 1), Peer::in_comm(5, MessageClass::p2p)) == nullptr);
  }
  found(*table, key_of(9, 1), Peer::in_comm(5, MessageClass::p2p));
  CHECK(size_of(*table) == 193);
}
