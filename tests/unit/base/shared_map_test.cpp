#include "base/shared_map.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/memory_shortage.hpp"

using namespace commprof;

namespace {

struct MapOfTest : SharedMap {
  ~MapOfTest() { release(); }
};

}  // namespace

TEST_CASE("a shared map has what was added, and nothing else") {
  MapOfTest map;
  CHECK(map.find(1) == SharedMap::none);
  for (std::uint32_t key = 1; key <= 5000; ++key) map.add(key * 64ULL, key);
  for (std::uint32_t key = 1; key <= 5000; ++key) CHECK(map.find(key * 64ULL) == key);
  CHECK(map.find(32) == SharedMap::none);
  map.forget_all();
  CHECK(map.find(64) == SharedMap::none);
  map.add(64, 7);
  CHECK(map.find(64) == 7);
}

TEST_CASE("a shared map that is forgotten again and again does not grow") {
  MapOfTest map;
  auto const add_all = [&](std::uint32_t first) {
    for (std::uint32_t key = first; key < first + 200; ++key) map.add(key, key);
    for (std::uint32_t key = first; key < first + 200; ++key)
      CHECK((map.find(key) == key || map.find(key) == SharedMap::none));  // old entries may be cleared with new ones
    map.forget_all();
    CHECK(map.find(first) == SharedMap::none);
  };
  add_all(1);
  std::size_t const before = mapped_bytes();
  for (int i = 0; i < 100; ++i) add_all(1);
  CHECK(mapped_bytes() == before);
  for (std::uint32_t i = 1; i < 100; ++i) add_all(1000 * i);
  CHECK(mapped_bytes() - before <= 1100 * 16);  // 400 entries of two ages need 1,024 slots
}

TEST_CASE("a shared map without memory stays as it is") {
  MapOfTest map;
  {
    MemoryShortage const shortage;
    map.add(1, 1);
    CHECK(map.find(1) == SharedMap::none);
  }
  map.add(1, 1);
  CHECK(map.find(1) == 1);
}

TEST_CASE("readers of a shared map find the value of their key or none, whatever a writer does") {
  MapOfTest map;
  std::atomic<bool> is_over{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([&] {
      while (!is_over)
        for (std::uint64_t key = 1; key <= 300; ++key)
          if (std::uint32_t const value = map.find(key); value != SharedMap::none && value % 1000 != key) ++wrong;
    });
  for (std::uint32_t round = 1; round < 200; ++round) {
    for (std::uint32_t key = 1; key <= 300; ++key)
      map.add((key + round) % 300 + 1, round * 1000 + (key + round) % 300 + 1);
    map.forget_all();
  }
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  CHECK(wrong == 0);
}
