#include <pthread.h>

#include <array>
#include <atomic>
#include <barrier>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <tuple>
#include <vector>

#include "base/dropped.hpp"
#include "counters/counters.hpp"
#include "ops.hpp"
#include "support/memory_shortage.hpp"

using namespace commprof;

namespace {

RecordKey key(std::uint32_t comm, std::uint16_t region = 0, std::uint16_t op = 0, std::uint8_t bin = 0) {
  return RecordKey::of(static_cast<CommIndex>(comm), static_cast<ScopeIndex>(region), static_cast<Op>(op),
                       static_cast<SizeBin>(bin));
}

// The shards outlive every test, so each test counts in a region of its own.
RecordKey key_of_test(std::uint16_t test, std::uint32_t comm) { return key(comm, test); }

// The sum over all shards of the records with this key.
Record total(RecordKey wanted) {
  Record sum{};
  for (Shard const* shard = Shards::first(); shard != nullptr; shard = shard->next())
    shard->for_each([&](Record const& record) {
      if (record.key == wanted) sum.merge(record);
    });
  return sum;
}

std::uint64_t dropped_records() { return (*dropped::counts)[Dropped::records].load(); }

}  // namespace

TEST_CASE("the size bins cover every size once") {
  CHECK(smallest_of(SizeBin{0}) == 0);
  CHECK(largest_of(SizeBin{63}) == UINT64_MAX);
  for (int bin = 0; bin < 64; ++bin) {
    INFO("bin " << bin);
    auto const this_bin = static_cast<SizeBin>(bin);
    CHECK(smallest_of(this_bin) <= largest_of(this_bin));
    CHECK(size_bin(smallest_of(this_bin)) == this_bin);
    CHECK(size_bin(largest_of(this_bin)) == this_bin);
    if (bin < 63) CHECK(largest_of(this_bin) + 1 == smallest_of(static_cast<SizeBin>(bin + 1)));
  }
}

TEST_CASE("a key gives back what it was made of, and is in the order of communicator, region, operation, size") {
  std::vector<std::tuple<std::uint32_t, std::uint16_t, std::uint16_t, std::uint8_t>> all;
  for (std::uint32_t const comm : {0U, 1U, 0x12345678U, UINT32_MAX})
    for (auto const region : std::to_array<std::uint16_t>({0, 0x5678, UINT16_MAX}))
      for (auto const op : std::to_array<std::uint16_t>({0, 0x155, 511}))
        for (auto const bin : std::to_array<std::uint8_t>({0, 0x2a, 63})) all.emplace_back(comm, region, op, bin);
  RecordKey before{};
  for (auto const& parts : all) {
    RecordKey const packed = std::apply(key, parts);
    REQUIRE((packed == before) == (parts == all.front()));
    REQUIRE((before < packed || parts == all.front()));
    REQUIRE(std::tuple(static_cast<std::uint32_t>(packed.comm()), static_cast<std::uint16_t>(packed.scope()),
                       static_cast<std::uint16_t>(packed.op()), static_cast<std::uint8_t>(packed.bin())) == parts);
    before = packed;
  }
  CHECK(static_cast<std::size_t>(Op::count_) <= 1U << RecordKey::op_bits);
  CHECK(before.packed == ~RecordKey::unfinished_bit);  // 32 + 16 + 10 + 6 bits, one of them the mark
}

TEST_CASE("a copy of a record that is being added to holds all of the calls that it shows") {
  constexpr std::uint64_t calls = 3'000'000;
  Record record{};
  std::barrier begin(2);
  std::atomic<bool> done{false};
  std::thread thread([&] {
    begin.arrive_and_wait();
    for (std::uint64_t i = 1; i <= calls; ++i) record.add({3, 5}, Interval({7}, {i}));
    done = true;
  });
  begin.arrive_and_wait();
  std::uint64_t copies = 0, lacking = 0;
  do {
    Record const copy = record.copy();
    std::uint64_t const n = copy.calls;
    bool const is_whole =
        copy.time.count >= 7 * n && copy.bytes.sent >= 3 * n && copy.bytes.received >= 5 * n && copy.last.count >= n;
    bool const has_extremes = n == 0 || (copy.shortest.count == 7 && copy.longest.count == 7);
    if (!is_whole || !has_extremes) ++lacking;
    ++copies;
  } while (!done);
  thread.join();
  INFO(copies << " copies");
  CHECK(lacking == 0);
  CHECK(record.copy().calls == calls);
  CHECK(record.copy().time.count == 7 * calls);
}

TEST_CASE("a shard finds the record of each of 100,000 keys, and no other") {
  auto const shard = std::make_unique<Shard>();
  std::mt19937_64 random(7);
  std::map<std::uint64_t, std::uint64_t> expected;  // calls by key
  std::vector<RecordKey> keys;
  while (expected.size() < 100'000) {
    // Keys as they come: few communicators with many operations and sizes, and many with few.
    RecordKey const drawn = key(static_cast<std::uint32_t>(random() % 2000), static_cast<std::uint16_t>(random() % 3),
                                static_cast<std::uint16_t>(random() % 120), static_cast<std::uint8_t>(random() % 20));
    if (expected.emplace(drawn.packed, 0).second) keys.push_back(drawn);
  }
  std::map<std::uint64_t, Record*> records;
  std::size_t const bytes_before = mapped_bytes();
  for (RecordKey const one : keys) {
    Record* const record = shard->find_or_insert(one);
    REQUIRE(record != nullptr);
    REQUIRE(record->key == one);
    REQUIRE(record->calls == 0);
    records[one.packed] = record;
  }
  // Chunks of 256, 512 … 65536 records, and an index of 16 bytes a slot that is at most half full; the smaller ones are
  // given back.
  CHECK(mapped_bytes() - bytes_before == 511 * 256 * sizeof(Record) + 262'144 * 16);
  for (int i = 0; i < 300'000; ++i) {
    RecordKey const one = keys[random() % keys.size()];
    shard->add(one, {1, 2}, {3});
    ++expected[one.packed];
  }
  for (RecordKey const one : keys) REQUIRE(shard->find_or_insert(one) == records[one.packed]);  // addresses stay

  std::size_t visited = 0;
  shard->for_each([&](Record const& record) {
    ++visited;
    std::uint64_t const calls = expected.at(record.key.packed);
    REQUIRE(record.calls == calls);
    REQUIRE(record.bytes.sent == calls);
    REQUIRE(record.bytes.received == 2 * calls);
    REQUIRE(record.time.count == 3 * calls);
  });
  CHECK(visited == 100'000);
}

TEST_CASE("a call without memory for its record is counted as dropped, and counts again once there is some") {
  auto const shard = std::make_unique<Shard>();
  std::uint64_t const before = dropped_records();
  {
    MemoryShortage const shortage;
    shard->add(key(5), {1, 1}, {1});
    shard->add(key(5), {1, 1}, {1});
  }
  CHECK(dropped_records() == before + 2);
  shard->add(key(5), {1, 1}, {1});
  CHECK(shard->find_or_insert(key(5))->calls == 1);
  CHECK(dropped_records() == before + 2);
}

TEST_CASE("a shard whose index cannot grow goes on until it is full, and finds what it has") {
  auto const shard = std::make_unique<Shard>();
  shard->add(key(0), {}, {});  // the first index and the first chunk of records
  std::uint64_t const before = dropped_records();
  constexpr std::uint32_t wanted = 1000;
  {
    MemoryShortage const shortage;
    for (std::uint32_t comm = 1; comm < wanted; ++comm) shard->add(key(comm), {}, {});
    std::uint64_t const dropped = dropped_records() - before;
    std::uint64_t kept = 0;
    shard->for_each([&](Record const& record) {
      CHECK(record.calls == 1);
      ++kept;
    });
    CHECK(kept + dropped == wanted);
    CHECK(kept >= 128);  // half of the first index at least
    shard->add(key(0), {}, {});
    CHECK(shard->find_or_insert(key(0))->calls == 2);
  }
  for (std::uint32_t comm = 0; comm < wanted; ++comm) REQUIRE(shard->find_or_insert(key(comm)) != nullptr);
}

TEST_CASE("what a thread counts while it is ending is kept, in a shard that no other thread has") {
  // A destructor of a thread-specific value, created after the shards' own: it simulates a call of MPI after its thread
  // has left its shard.
  Shards::mine();
  static RecordKey const counted = key_of_test(4, 0);
  static Shard* shard_of_ending;
  static std::barrier steps(2);
  pthread_key_t late;
  REQUIRE(pthread_key_create(&late, [](void*) {
            shard_of_ending = Shards::mine();
            shard_of_ending->add(counted, {1, 0}, {1});
            steps.arrive_and_wait();
            steps.arrive_and_wait();
          }) == 0);
  for (int i = 0; i < 3; ++i) {
    std::thread ending([&] {
      Shards::mine()->add(counted, {1, 0}, {1});
      pthread_setspecific(late, &late);
    });
    steps.arrive_and_wait();
    Shard* shard_of_other = nullptr;
    std::thread([&] { shard_of_other = Shards::mine(); }).join();
    CHECK(shard_of_other != shard_of_ending);
    steps.arrive_and_wait();
    ending.join();
  }
  pthread_key_delete(late);
  CHECK(total(counted).calls == 6);  // three threads, one call in their body and one at their end
}
