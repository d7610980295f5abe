#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <stdexcept>
#include <thread>

#include "base/memory.hpp"
#include "counters/counters.hpp"
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

TEST_CASE("without memory a peer has no record, and an index that cannot grow is used until it is full") {
  auto const table = std::make_unique<PeerTable>();
  for (int pages = 0; pages < 2; ++pages) {
    MemoryShortage const shortage(pages);  // at last for the index, but not for records
    CHECK(find_or_insert(*table, key_of(0, 1), Peer::in_comm(0, MessageClass::p2p)) == nullptr);
  }
  for (int i = 0; i < 128; ++i) found(*table, key_of(0, 1), Peer::in_comm(i, MessageClass::p2p)).add(1);
  {
    MemoryShortage const shortage;
    int taken = 128;
    while (taken < 1000 && find_or_insert(*table, key_of(0, 1), Peer::in_comm(taken, MessageClass::p2p)) != nullptr)
      ++taken;
    CHECK(taken == 192);  // chunks of 64 and 128 records; the index of 256 has room for more
    CHECK(find_or_insert(*table, key_of(0, 1), Peer::in_comm(5, MessageClass::p2p))->messages == 1);
    CHECK(find_or_insert(*table, key_of(9, 1), Peer::in_comm(5, MessageClass::p2p)) == nullptr);
  }
  std::size_t const before = mapped_bytes();
  for (int i = 0; i < 50; ++i) found(*table, key_of(9, 1), Peer::in_comm(i * 40'000'000, MessageClass::p2p));
  CHECK(size_of(*table) == 242);
  CHECK(mapped_bytes() - before <= 256 * sizeof(PeerRecord) + 1024 * sizeof(void*));  // not by the ranks' numbers
}
