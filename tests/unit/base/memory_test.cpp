#include "base/memory.hpp"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/memory_shortage.hpp"

using namespace commprof;

namespace {

struct Entry {
  std::uint64_t value;
  std::uint64_t twice;
};

using SmallArena = Arena<Entry, 4, 3>;  // chunks of 16, 32 and 64 records
constexpr std::size_t capacity = 16 + 32 + 64;

}  // namespace

TEST_CASE("pages come zeroed and are accounted for") {
  std::size_t const before = mapped_bytes();
  constexpr std::size_t bytes = 3 * 4096;
  auto* const pages = static_cast<unsigned char*>(map_pages(bytes));
  REQUIRE(pages != nullptr);
  CHECK(mapped_bytes() == before + bytes);
  CHECK(std::all_of(pages, pages + bytes, [](unsigned char byte) { return byte == 0; }));
  unmap_pages(pages, bytes);
  CHECK(mapped_bytes() == before);
  unmap_pages(nullptr, 4096);
  CHECK(mapped_bytes() == before);
}

TEST_CASE("pages that the system does not have are a null pointer and not accounted for") {
  std::size_t const before = mapped_bytes();
  MemoryShortage const shortage;
  CHECK(map_pages(4096) == nullptr);
  CHECK(mapped_bytes() == before);
}

TEST_CASE("an arena's records keep their index, address and contents as it grows") {
  SmallArena arena;
  std::vector<Entry*> addresses;
  for (std::uint64_t i = 0; i < capacity; ++i) {
    Entry* const entry = arena.append();
    REQUIRE(entry != nullptr);
    REQUIRE(arena.size() == i + 1);
    REQUIRE(entry == &arena[i]);
    REQUIRE(entry->value == 0);  // value-initialised
    *entry = {i, 2 * i};
    addresses.push_back(entry);
  }
  for (std::uint64_t i = 0; i < addresses.size(); ++i) {
    REQUIRE(&arena[i] == addresses[i]);
    REQUIRE(arena[i].value == i);
    REQUIRE(arena[i].twice == 2 * i);
  }
}

TEST_CASE("an arena ends with its last chunk") {
  SmallArena arena;
  for (std::size_t i = 0; i < capacity; ++i) REQUIRE(arena.append() != nullptr);
  CHECK(arena.append() == nullptr);
  CHECK(arena.size() == capacity);
}

TEST_CASE("an arena without memory stays as it is and goes on when there is some") {
  SmallArena arena;
  for (std::uint64_t i = 0; i < 16; ++i) arena.append()->value = i;
  {
    MemoryShortage const shortage;
    CHECK(arena.append() == nullptr);
    CHECK(arena.append() == nullptr);
    CHECK(arena.size() == 16);
    CHECK(arena[15].value == 15);
  }
  Entry* const next = arena.append();
  REQUIRE(next != nullptr);
  CHECK(next == &arena[16]);
  CHECK(arena.size() == 17);
}

TEST_CASE("what a record begins with is there before its index is") {
  SmallArena arena;
  for (std::uint64_t i = 0; i < 20; ++i) {
    std::size_t size_at_begin = 100;
    Entry const* const entry = arena.append([&](Entry& begun) {
      begun.value = 70 + i;
      size_at_begin = arena.size();
    });
    REQUIRE(entry == &arena[i]);
    CHECK(size_at_begin == i);
    CHECK(entry->value == 70 + i);
    CHECK(arena.size() == i + 1);
  }
}

TEST_CASE("an arena takes pages a chunk at a time, each twice as large as the one before") {
  std::size_t const before = mapped_bytes();
  SmallArena arena;
  CHECK(mapped_bytes() == before);  // nothing before the first record
  for (int i = 0; i < 16; ++i) arena.append();
  CHECK(mapped_bytes() == before + 16 * sizeof(Entry));
  arena.append();
  CHECK(mapped_bytes() == before + (16 + 32) * sizeof(Entry));
}

TEST_CASE("texts are kept as they were, wherever they came to lie") {
  TextStore store;
  std::vector<std::string> texts;
  std::vector<TextRef> refs;
  // Together 1 + 2 + … + 1000 bytes, 500,500: several chunks of 64 KiB, with texts that do not fit the rest of one.
  for (std::size_t length = 1; length <= 1000; ++length) {
    texts.emplace_back(length, static_cast<char>('a' + length % 26));
    refs.push_back(store.add(texts.back()));
  }
  for (std::size_t i = 0; i < texts.size(); ++i) REQUIRE(store.view(refs[i]) == texts[i]);
}

TEST_CASE("a text longer than a chunk is stored whole") {
  TextStore store;
  TextRef const before = store.add("before");
  std::string longer(300'000, 'x');
  longer.front() = '<';
  longer.back() = '>';
  TextRef const ref = store.add(longer);
  TextRef const after = store.add("after");
  CHECK(store.view(ref) == longer);
  CHECK(store.view(before) == "before");
  CHECK(store.view(after) == "after");
}

TEST_CASE("a text may hold any bytes") {
  TextStore store;
  std::string const bytes("a\0b\xff\n", 5);
  CHECK(store.view(store.add(bytes)) == bytes);
}

TEST_CASE("an empty text takes no memory") {
  TextStore store;
  std::size_t const before = mapped_bytes();
  CHECK(store.view(store.add("")).empty());
  CHECK(store.view({}).empty());
  CHECK(store.view(store.add("text", 0)).empty());
  CHECK(mapped_bytes() == before);
}

TEST_CASE("a text is cut off at the length that is asked for") {
  TextStore store;
  CHECK(store.view(store.add("abcdef", 3)) == "abc");
  CHECK(store.view(store.add("abc", 3)) == "abc");
  CHECK(store.view(store.add("ab", 3)) == "ab");
}

TEST_CASE("a text that memory does not suffice for is empty, and those before it stay") {
  TextStore store;
  TextRef const first = store.add(std::string(64 * 1024, 'f'));  // fills the first chunk
  {
    MemoryShortage const shortage;
    CHECK(store.view(store.add("second")).empty());
  }
  CHECK(store.view(store.add("third")) == "third");
  CHECK(store.view(first) == std::string(64 * 1024, 'f'));
}

TEST_CASE("scratch room holds what is asked for and is kept for the next call") {
  Scratch scratch;
  auto* const room = scratch.room<int>(100);
  REQUIRE(room != nullptr);
  std::fill_n(room, 100, 7);
  CHECK(scratch.room<int>(100) == room);
  CHECK(scratch.room<int>(1) == room);
  CHECK(scratch.room<double>(10) == static_cast<void*>(room));

  auto* const larger = scratch.room<int>(1'000'000);
  REQUIRE(larger != nullptr);
  std::fill_n(larger, 1'000'000, 7);
  scratch.release();
}

TEST_CASE("scratch room that grows gives back what it had") {
  std::size_t const before = mapped_bytes();
  Scratch scratch;
  for (std::size_t count = 1; count < 1'000'000; count *= 3) {
    auto* const room = scratch.room<std::uint64_t>(count);
    REQUIRE(room != nullptr);
    room[count - 1] = 1;
  }
  std::size_t const bytes = mapped_bytes() - before;
  // The last, for 3^12 = 531,441 values of 8 bytes, has at most twice the room asked for, in whole pages.
  CHECK(bytes >= 531'441U * 8);
  CHECK(bytes <= 2 * 531'441U * 8 + 4096);
  scratch.release();
  CHECK(mapped_bytes() == before);
  scratch.release();
  CHECK(mapped_bytes() == before);
}

TEST_CASE("scratch room that cannot be had is a null pointer, and may be asked for again") {
  Scratch scratch;
  REQUIRE(scratch.room<int>(10) != nullptr);
  {
    MemoryShortage const shortage;
    CHECK(scratch.room<int>(100'000) == nullptr);
    CHECK(scratch.room<int>(10) == nullptr);  // its old contents are lost
  }
  auto* const room = scratch.room<int>(100'000);
  REQUIRE(room != nullptr);
  room[99'999] = 1;
  scratch.release();
}

TEST_CASE("a page vector keeps its contents when it grows, and gives back all pages") {
  std::size_t const before = mapped_bytes();
  {
    PageVector<std::uint32_t> vector;
    CHECK(vector.size() == 0);
    CHECK(vector.begin() == vector.end());
    for (std::uint32_t i = 0; i < 100'000; ++i) REQUIRE(vector.push_back(1 + i * 3));
    REQUIRE(vector.size() == 100'000);
    CHECK(vector.end() - vector.begin() == 100'000);
    std::uint32_t expected = 1;
    for (std::uint32_t const value : vector) {
      REQUIRE(value == expected);
      expected += 3;
    }
    vector.clear();
    CHECK(vector.size() == 0);
    REQUIRE(vector.push_back(42));
    CHECK(*vector.begin() == 42);
  }
  CHECK(mapped_bytes() == before);
}

TEST_CASE("a block has room for what was asked for, and its size follows from the most values in it") {
  for (std::size_t const bytes : {1U, 4095U, 4096U, 4097U, 5000U, 131'072U, 131'073U, 1'000'000U}) {
    std::size_t const size = Block::size_for(bytes);
    CHECK(size >= bytes);
    for (std::size_t const of_value : {1U, 24U, 2048U, 5000U})
      if (of_value <= size && size <= Block::most_bytes_to_keep)
        CHECK(Block::size_for(size / of_value * of_value) == size);
  }
  CHECK(Block::size_for(131'072) == 131'072);
  CHECK(Block::size_for(131'073) == 131'073);  // too large to be kept: not rounded
}

TEST_CASE("blocks that are given back are handed out again while they are kept") {
  std::size_t const before = mapped_bytes();
  Block const other = take_block(20'000);
  Block small;
  {
    KeptBlocks const kept;
    Block const first = take_block(5000);
    REQUIRE(first.begin != nullptr);
    CHECK(first.bytes == 8192);
    std::memset(first.begin, 1, first.bytes);
    give_back(first);
    CHECK(mapped_bytes() == before + other.bytes + first.bytes);
    small = take_block(4000);
    CHECK(small.begin != first.begin);  // it has another size
    Block const second = take_block(8000);
    CHECK(second.begin == first.begin);
    give_back(second);
    give_back({});

    Block const large = take_block(1'000'000);
    std::size_t const with_large = mapped_bytes();
    give_back(large);
    CHECK(mapped_bytes() == with_large - large.bytes);

    // Keeps a limited number of blocks of each size.
    std::vector<Block> many(100);
    for (Block& block : many) block = take_block(100'000);
    for (Block const& block : many) give_back(block);
    CHECK(mapped_bytes() < before + 1'000'000);
  }
  CHECK(mapped_bytes() == before + other.bytes + small.bytes);  // only the blocks in use
  give_back(other);
  give_back(small);
  CHECK(mapped_bytes() == before);
}

TEST_CASE("several threads take and keep blocks, and each has its own") {
  std::size_t const before = mapped_bytes();
  {
    KeptBlocks const kept;
    std::atomic<bool> is_shared{false};
    std::vector<std::thread> threads;
    for (char id = 0; id < 4; ++id) {
      threads.emplace_back([&is_shared, id] {
        for (int i = 0; i < 2000; ++i) {
          Block const block = take_block(4096);
          auto* const bytes = static_cast<char volatile*>(block.begin);
          bytes[0] = id;
          bytes[4095] = id;
          std::this_thread::yield();
          if (bytes[0] != id || bytes[4095] != id) is_shared = true;
          give_back(block);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK_FALSE(is_shared);
  }
  CHECK(mapped_bytes() == before);
}

TEST_CASE("a page vector of values larger than a page") {
  struct Large {
    char bytes[5000];
  };
  auto const large = std::make_unique<Large>();
  PageVector<Large> vector;
  for (char i = 0; i < 5; ++i) {
    std::fill(std::begin(large->bytes), std::end(large->bytes), i);
    REQUIRE(vector.push_back(*large));
  }
  for (int i = 0; i < 5; ++i) CHECK(vector.begin()[i].bytes[4999] == i);
}

TEST_CASE("a page vector without memory to grow stays as it is") {
  PageVector<std::uint64_t> vector;
  {
    MemoryShortage const shortage;
    CHECK_FALSE(vector.push_back(1));
    CHECK(vector.size() == 0);
  }
  std::uint64_t count = 0;
  {
    MemoryShortage const shortage(1);
    while (vector.push_back(count)) ++count;
  }
  CHECK(count >= 512);  // a page of 4096 bytes
  REQUIRE(vector.size() == count);
  for (std::uint64_t i = 0; i < count; ++i) REQUIRE(vector.begin()[i] == i);
  CHECK(vector.push_back(count));
  CHECK(vector.begin()[count] == count);
}
