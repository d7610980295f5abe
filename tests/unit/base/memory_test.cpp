#include "base/memory.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
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

TEST_CASE("an arena's records keep their index, address and contents as it grows, also after a shortage of memory") {
  std::size_t const before = mapped_bytes();
  SmallArena arena;
  CHECK(mapped_bytes() == before);  // nothing before the first record
  std::vector<Entry*> addresses;
  for (std::uint64_t i = 0; i < capacity; ++i) {
    if (i == 16) {  // the end of the first chunk
      CHECK(mapped_bytes() == before + 16 * sizeof(Entry));
      MemoryShortage const shortage;
      CHECK(arena.append() == nullptr);
      CHECK(arena.append() == nullptr);
    }
    std::size_t size_at_begin = 100;
    Entry* const entry = arena.append([&](Entry& begun) {
      REQUIRE(begun.value == 0);
      begun.value = i;  // before others see that it is there
      size_at_begin = arena.size();
    });
    REQUIRE(entry != nullptr);
    REQUIRE(entry == &arena[i]);
    REQUIRE((size_at_begin == i && arena.size() == i + 1));
    if (i == 16) CHECK(mapped_bytes() == before + (16 + 32) * sizeof(Entry));
    entry->twice = 2 * i;
    addresses.push_back(entry);
  }
  for (std::uint64_t i = 0; i < capacity; ++i) {
    REQUIRE(&arena[i] == addresses[i]);
    REQUIRE((arena[i].value == i && arena[i].twice == 2 * i));
  }
  CHECK(arena.append() == nullptr);  // it ends with its last chunk
}

TEST_CASE("texts are kept as they were, wherever they came to lie") {
  TextStore store;
  std::vector<std::string> texts;
  std::vector<TextRef> refs;
  // Together 1 + 2 + … + 1000 bytes, 500,500: several chunks of 64 KiB, with texts that do not fit the rest of one; and
  // one that is longer than a chunk.
  for (std::size_t length = 1; length <= 1001; ++length) {
    texts.emplace_back(length <= 1000 ? length : 300'000, static_cast<char>('a' + length % 26));
    refs.push_back(store.add(texts.back()));
  }
  for (std::size_t i = 0; i < texts.size(); ++i) REQUIRE(store.view(refs[i]) == texts[i]);
  std::size_t const before = mapped_bytes();
  CHECK((store.view(store.add("")).empty() && store.view({}).empty() && mapped_bytes() == before));
  CHECK(store.view(store.add("abcdef", 3)) == "abc");
  {
    MemoryShortage const shortage;
    CHECK(store.view(store.add(std::string(64 * 1024, 'f'))).empty());
  }
  CHECK(store.view(store.add("last")) == "last");
  CHECK(store.view(refs[0]) == texts[0]);
}

TEST_CASE("a page vector keeps its contents when it grows, and gives back all pages") {
  std::size_t const before = mapped_bytes();
  {
    PageVector<std::uint32_t> vector;
    CHECK((vector.size() == 0 && vector.begin() == vector.end()));
    for (std::uint32_t i = 0; i < 100'000; ++i) REQUIRE(vector.push_back(1 + i * 3));
    CHECK((vector.size() == 100'000 && vector.end() - vector.begin() == 100'000));
    for (std::uint32_t i = 0; i < 100'000; ++i) REQUIRE(vector.begin()[i] == 1 + i * 3);
    vector.clear();
    CHECK(vector.size() == 0);
  }
  CHECK(mapped_bytes() == before);
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
