#include "base/index.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <thread>
#include <unordered_map>
#include <vector>

#include "support/memory_shortage.hpp"

using namespace commprof;

namespace {

template <class Key, class Value, class Policy = IndexPolicy>
struct IndexOfTest : Index<Key, Value, Policy> {
  ~IndexOfTest() { this->release(); }
};

}  // namespace

TEST_CASE("an index has what was added and not erased, and nothing else") {
  // Keys spread over all bits, keys with equal low bits, and a few keys that recur.
  std::uint64_t const mask = GENERATE(UINT64_MAX, ~std::uint64_t{0xfff}, 0x3ffULL);
  std::mt19937_64 random(mask);
  IndexOfTest<std::uint64_t, int> index;
  std::unordered_map<std::uint64_t, int> model;
  std::vector<std::uint64_t> keys;
  for (int i = 1; i < 20'000; ++i) {
    std::uint64_t const key = (random() & mask) | 0x100;
    int* const value = index.find_or_add(key);
    REQUIRE(value != nullptr);
    REQUIRE(*value == model[key]);
    model[key] = *value = i;
    keys.push_back(key);
    std::uint64_t const other = keys[random() % keys.size()];
    if (i % 3 != 0 || !model.contains(other)) continue;
    index.erase(*index.find(other));
    model.erase(other);
  }
  REQUIRE(index.size() == model.size());
  for (std::uint64_t const key : keys) {
    int const* const value = index.find(key);
    REQUIRE((value != nullptr) == model.contains(key));
    if (value != nullptr) REQUIRE(*value == model[key]);
  }
  index.erase_if([](std::uint64_t, int value) { return value % 2 == 0; });
  std::erase_if(model, [](auto const& one) { return one.second % 2 == 0; });
  std::size_t visited = 0;
  index.for_each([&](std::uint64_t key, int value) { visited += model.at(key) == value ? 1 : 0; });
  CHECK(visited == model.size());
  for (auto const& [key, value] : model) REQUIRE(*index.find(key) == value);
  index.clear();
  CHECK(index.find(keys[0]) == nullptr);
}

TEST_CASE("values of one key are told apart by a predicate") {
  IndexOfTest<std::uint64_t, int> index;
  for (int value = 1; value <= 1000; ++value) {
    auto const is_value = [=](int one) { return one == value; };
    CHECK(index.find(7, is_value) == nullptr);
    index.add(7, value);
    CHECK(*index.find(7, is_value) == value);
  }
}

TEST_CASE("an index that cannot grow fills up") {
  IndexOfTest<std::uint64_t, int> index;
  {
    MemoryShortage const shortage;
    CHECK(index.find_or_add(1) == nullptr);
    CHECK(index.find(1) == nullptr);
  }
  REQUIRE(index.find_or_add(1) != nullptr);
  MemoryShortage const shortage;
  for (std::uint64_t key = 2; key < 256; ++key) REQUIRE(index.find_or_add(key) != nullptr);
  CHECK(index.find_or_add(256) == nullptr);
  for (std::uint64_t key = 1; key < 256; ++key) REQUIRE(index.find(key) != nullptr);
}

TEST_CASE("readers of an index find the value of their key or none, whatever a writer does") {
  IndexOfTest<std::uint64_t, std::uint32_t, IndexWithReaders> index;
  std::atomic<bool> is_over{false};
  std::atomic<int> wrong{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([&] {
      while (!is_over)
        for (std::uint64_t key = 1; key <= 300; ++key)
          if (std::uint32_t const value = index.value_of(key, 0); value != 0 && value % 1000 != key) ++wrong;
    });
  for (std::uint32_t round = 1; round < 200; ++round) {
    for (std::uint32_t key = 1; key <= 300; ++key)
      index.add((key + round) % 300 + 1, round * 1000 + (key + round) % 300 + 1);
    CHECK(index.value_of(300, 0) == round * 1000 + 300);
    index.clear();
  }
  is_over = true;
  for (std::thread& reader : readers) reader.join();
  CHECK(wrong == 0);
}

TEST_CASE("threads add to an index together") {
  IndexOfTest<std::uint64_t, std::uint32_t> index;
  REQUIRE(index.reserve(1024));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (std::uint64_t key = 1; key <= 600; ++key)
        if (std::uint32_t* const value = index.find_or_add_among_threads(key)) std::atomic_ref(*value).fetch_add(1);
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(index.size() >= 512);
  CHECK(index.size() <= 515);  // each thread may have seen room for one more
  std::size_t complete = 0;
  index.for_each([&](std::uint64_t, std::uint32_t value) { complete += value == 4 ? 1 : 0; });
  CHECK(complete >= 512 - 4);
}
