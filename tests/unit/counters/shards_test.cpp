#include "counters/shards.hpp"

#include <pthread.h>

#include <algorithm>
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
#include "ops.hpp"
#include "support/memory_shortage.hpp"

using namespace commprof;

namespace {

constexpr auto last_comm = static_cast<CommIndex>(UINT32_MAX);
constexpr auto last_region = static_cast<ScopeIndex>(UINT16_MAX);
constexpr auto last_op = static_cast<Op>(511);
constexpr auto last_bin = static_cast<SizeBin>(63);

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

TEST_CASE("a size bin holds the sizes of one power of two") {
  auto const number = [](std::uint64_t bytes) { return static_cast<int>(size_bin(bytes)); };
  CHECK(number(0) == 0);
  CHECK(number(1) == 1);
  CHECK(number(2) == 2);
  CHECK(number(3) == 2);
  CHECK(number(4) == 3);
  CHECK(number(7) == 3);
  CHECK(number(8) == 4);
  CHECK(number(1023) == 10);
  CHECK(number(1024) == 11);
  CHECK(number((1ULL << 62) - 1) == 62);
  CHECK(number(1ULL << 62) == 63);  // the last bin holds all that is larger
  CHECK(number((1ULL << 63) - 1) == 63);
  CHECK(number(1ULL << 63) == 63);
  CHECK(number(UINT64_MAX) == 63);
}

TEST_CASE("the size bins cover every size once") {
  CHECK(smallest_of(SizeBin{0}) == 0);
  CHECK(largest_of(last_bin) == UINT64_MAX);
  for (int bin = 0; bin < 64; ++bin) {
    INFO("bin " << bin);
    auto const this_bin = static_cast<SizeBin>(bin);
    CHECK(smallest_of(this_bin) <= largest_of(this_bin));
    CHECK(size_bin(smallest_of(this_bin)) == this_bin);
    CHECK(size_bin(largest_of(this_bin)) == this_bin);
    if (bin < 63) CHECK(largest_of(this_bin) + 1 == smallest_of(static_cast<SizeBin>(bin + 1)));
  }
}

TEST_CASE("a key gives back what it was made of, at both ends of each part") {
  for (auto const comm : {CommIndex::world, CommIndex::self, static_cast<CommIndex>(0x12345678), last_comm})
    for (auto const region : {ScopeIndex::main, static_cast<ScopeIndex>(0x5678), last_region})
      for (auto const op : {Op{}, static_cast<Op>(0x155), last_op})
        for (auto const bin : {SizeBin{0}, SizeBin{0x2a}, last_bin}) {
          RecordKey const packed = RecordKey::of(comm, region, op, bin);
          REQUIRE(packed.comm() == comm);
          REQUIRE(packed.scope() == region);
          REQUIRE(packed.op() == op);
          REQUIRE(packed.bin() == bin);
        }
  CHECK(RecordKey::of(last_comm, last_region, last_op, last_bin).packed ==
        ~RecordKey::unfinished_bit);  // 32 + 16 + 10 + 6 bits, one of them the mark
}

TEST_CASE("keys are in the order of communicator, region, operation, size") {
  CHECK(key(0, 65535, 1023, 63) < key(1, 0, 0, 0));
  CHECK(key(7, 0, 1023, 63) < key(7, 1, 0, 0));
  CHECK(key(7, 3, 0, 63) < key(7, 3, 1, 0));
  CHECK(key(7, 3, 5, 62) < key(7, 3, 5, 63));

  std::mt19937 random(1);
  for (int i = 0; i < 10'000; ++i) {
    using Parts = std::tuple<std::uint32_t, std::uint16_t, std::uint16_t, std::uint8_t>;
    auto const draw = [&] {
      return Parts{random() % 3, static_cast<std::uint16_t>(random() % 3), static_cast<std::uint16_t>(random() % 3),
                   static_cast<std::uint8_t>(random() % 3)};
    };
    Parts const a = draw(), b = draw();
    REQUIRE((std::apply(key, a) < std::apply(key, b)) == (a < b));
    REQUIRE((std::apply(key, a) == std::apply(key, b)) == (a == b));
  }
}

TEST_CASE("all operations fit into a key") { CHECK(static_cast<int>(Op::count_) <= 1 << RecordKey::op_bits); }

TEST_CASE("a record adds up calls, bytes and time, and keeps the extremes") {
  Record record{};
  record.add({10, 1}, {500});
  CHECK(record.shortest.count == 500);
  CHECK(record.longest.count == 500);
  record.add({20, 2}, {300});
  record.add({0, 0}, {700});
  CHECK(record.calls == 3);
  CHECK(record.bytes.sent == 30);
  CHECK(record.bytes.received == 3);
  CHECK(record.bytes.total() == 33);
  CHECK(record.time.count == 1500);
  CHECK(record.shortest.count == 300);
  CHECK(record.longest.count == 700);
}

TEST_CASE("a call that took no time is the shortest") {
  Record record{};
  record.add({}, {9});
  record.add({}, {0});
  record.add({}, {5});
  CHECK(record.shortest.count == 0);
  CHECK(record.longest.count == 9);
}

TEST_CASE("merged records are as if their calls had been counted in one") {
  std::vector<std::uint64_t> const times{400, 0, 900, 250};
  for (std::size_t split = 0; split <= times.size(); ++split) {
    INFO("the first " << split << " calls in one record, the others in another");
    Record whole{}, first{}, second{};
    for (std::size_t i = 0; i < times.size(); ++i) {
      Volume const volume{i, 10 * i};
      whole.add(volume, {times[i]});
      (i < split ? first : second).add(volume, {times[i]});
    }
    first.merge(second);
    CHECK(first.calls == 4);
    CHECK(first.bytes.sent == 6);       // 0 + 1 + 2 + 3
    CHECK(first.bytes.received == 60);  // ten times that
    CHECK(first.time.count == 1550);
    CHECK(first.shortest.count == 0);
    CHECK(first.longest.count == 900);
    CHECK(first.time.count == whole.time.count);
  }
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

TEST_CASE("a record has its key before others see that it is there") {
  constexpr std::uint32_t records = 20'000;
  std::atomic<Shard*> shared{nullptr};
  std::thread thread([&] {
    Shard* const own = Shards::mine();
    shared = own;
    for (std::uint32_t comm = 0; comm < records; ++comm) own->add(key_of_test(900, comm), {}, {1});
  });
  while (shared == nullptr) std::this_thread::yield();
  std::uint32_t seen = 0, without_key = 0;
  while (seen < records) {
    seen = 0;
    shared.load()->for_each([&](Record const& record) {
      if (record.key.scope() == ScopeIndex{900}) without_key += record.key == key_of_test(900, seen++) ? 0 : 1;
    });
  }
  thread.join();
  CHECK(without_key == 0);
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

TEST_CASE("a shard keeps keys apart that fall on one slot") {
  // The extremes, and keys that differ only in the highest or the lowest bit.
  auto const shard = std::make_unique<Shard>();
  std::vector<RecordKey> keys{{0}, {UINT64_MAX}};
  for (unsigned bit = 0; bit < 64; ++bit) keys.push_back({1ULL << bit});
  for (std::uint64_t i = 0; i < keys.size(); ++i) shard->add(keys[i], {i + 1, 0}, {});
  for (std::uint64_t i = 0; i < keys.size(); ++i) {
    Record const* const record = shard->find_or_insert(keys[i]);
    REQUIRE(record->calls == 1);
    REQUIRE(record->bytes.sent == i + 1);
  }
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

TEST_CASE("a thread has one shard, and no other thread has it at the same time") {
  Shard* const mine = Shards::mine();
  REQUIRE(mine != nullptr);
  CHECK(Shards::mine() == mine);

  constexpr int threads = 8;
  std::barrier all_have_one(threads);
  std::vector<Shard*> shards(threads);
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i)
    running.emplace_back([&, i] {
      shards[static_cast<std::size_t>(i)] = Shards::mine();
      all_have_one.arrive_and_wait();
    });
  for (std::thread& thread : running) thread.join();
  shards.push_back(mine);
  std::sort(shards.begin(), shards.end());
  CHECK(std::find(shards.begin(), shards.end(), nullptr) == shards.end());
  CHECK(std::adjacent_find(shards.begin(), shards.end()) == shards.end());
}

TEST_CASE("a thread that ends leaves its shard and its counts to the next") {
  RecordKey const counted = key_of_test(1, 0);
  Shard* first = nullptr;
  std::thread([&] {
    first = Shards::mine();
    first->add(counted, {10, 0}, {100});
  }).join();
  Shard* second = nullptr;
  std::thread([&] {
    second = Shards::mine();
    second->add(counted, {1, 0}, {50});
  }).join();
  CHECK(second == first);
  Record const sum = total(counted);
  CHECK(sum.calls == 2);
  CHECK(sum.bytes.sent == 11);
  CHECK(sum.time.count == 150);
  CHECK(sum.shortest.count == 50);
  CHECK(sum.longest.count == 100);
}

TEST_CASE("a thousand threads one after the other need the shard of one, and are counted") {
  std::thread([] { Shards::mine(); }).join();
  RecordKey const counted = key_of_test(2, 0);
  std::uint64_t const threads_before = Shards::threads(), at_once_before = Shards::threads_at_once();
  std::size_t const bytes_before = mapped_bytes();
  for (int i = 0; i < 1000; ++i) std::thread([&] { Shards::mine()->add(counted, {1, 0}, {1}); }).join();
  CHECK(total(counted).calls == 1000);
  CHECK(Shards::threads() == threads_before + 1000);
  CHECK(Shards::threads_at_once() == at_once_before);
  // At most one index and one chunk of records, if the shard had none yet.
  CHECK(mapped_bytes() - bytes_before <= 256 * 16 + 256 * sizeof(Record));
}

TEST_CASE("threads that count at once lose nothing") {
  constexpr std::uint32_t threads = 8, keys = 500, rounds = 20;
  constexpr std::uint16_t test = 3;
  std::uint64_t const threads_before = Shards::threads();
  std::barrier start(threads);
  std::vector<std::thread> running;
  for (std::uint32_t i = 0; i < threads; ++i)
    running.emplace_back([&] {
      start.arrive_and_wait();
      for (std::uint32_t round = 0; round < rounds; ++round)
        for (std::uint32_t comm = 0; comm < keys; ++comm)
          Shards::mine()->add(key_of_test(test, comm), {comm, 1}, {round + 1});
    });
  for (std::thread& thread : running) thread.join();
  CHECK(Shards::threads() == threads_before + threads);
  std::map<std::uint64_t, Record> sums;
  for (Shard const* shard = Shards::first(); shard != nullptr; shard = shard->next())
    shard->for_each([&](Record const& record) {
      if (record.key.scope() == static_cast<ScopeIndex>(test)) sums[record.key.packed].merge(record);
    });
  REQUIRE(sums.size() == keys);
  for (std::uint32_t comm = 0; comm < keys; ++comm) {
    Record const& sum = sums[key_of_test(test, comm).packed];
    REQUIRE(sum.calls == threads * rounds);
    REQUIRE(sum.bytes.sent == std::uint64_t{threads} * rounds * comm);
    REQUIRE(sum.bytes.received == threads * rounds);
    REQUIRE(sum.time.count == threads * rounds * (rounds + 1) / 2);
    REQUIRE(sum.shortest.count == 1);
    REQUIRE(sum.longest.count == rounds);
  }
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

TEST_CASE("a thread without memory for a shard has none, and gets one later") {
  Shard* without = Shards::first();
  Shard* with = nullptr;
  std::uint64_t const before = dropped_records();
  std::barrier steps(2);
  // Two threads, because an earlier test has left one shard that a thread can take.
  std::vector<std::thread> holders;
  std::size_t shards = 0;
  for (Shard const* shard = Shards::first(); shard != nullptr; shard = shard->next()) ++shards;
  std::barrier held(static_cast<std::ptrdiff_t>(shards + 2));
  std::barrier released(static_cast<std::ptrdiff_t>(shards + 2));
  for (std::size_t i = 0; i < shards + 1; ++i)
    holders.emplace_back([&] {
      Shards::mine();
      held.arrive_and_wait();
      released.arrive_and_wait();
    });
  held.arrive_and_wait();
  std::thread tested([&] {
    steps.arrive_and_wait();  // memory is short
    without = Shards::mine();
    steps.arrive_and_wait();
    steps.arrive_and_wait();  // memory suffices again
    with = Shards::mine();
  });
  {
    MemoryShortage const shortage;
    steps.arrive_and_wait();
    steps.arrive_and_wait();
  }
  steps.arrive_and_wait();
  tested.join();
  released.arrive_and_wait();
  for (std::thread& holder : holders) holder.join();
  CHECK(without == nullptr);
  CHECK(with != nullptr);
  CHECK(dropped_records() == before + 1);
}
