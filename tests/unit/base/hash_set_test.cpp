#include "base/hash_set.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <unordered_set>

#include "support/memory_shortage.hpp"

using namespace commprof;

TEST_CASE("a set of hashes tells of any number of them which are new") {
  // Hashes spread over all bits, hashes with equal low bits, and a few hashes that recur.
  std::uint64_t const mask = GENERATE(UINT64_MAX, ~std::uint64_t{0xfff}, 0xfffULL);
  std::mt19937_64 random(mask);
  HashSet set;
  std::unordered_set<std::uint64_t> model;
  for (int i = 0; i < 20'000; ++i) {
    std::uint64_t const hash = (random() & mask) | 1;
    REQUIRE(set.insert(hash) == model.insert(hash).second);
  }
}

TEST_CASE("without memory hashes are new more than once") {
  HashSet set;
  {
    MemoryShortage const shortage;
    CHECK(set.insert(5));
    CHECK(set.insert(5));
  }
  CHECK(set.insert(5));
  CHECK_FALSE(set.insert(5));
}

TEST_CASE("a set of hashes that cannot grow fills up") {
  HashSet set;
  REQUIRE(set.insert(1));
  MemoryShortage const shortage;
  for (std::uint64_t hash = 2; hash <= 511; ++hash) REQUIRE(set.insert(hash));
  for (std::uint64_t hash = 1; hash <= 511; ++hash) REQUIRE_FALSE(set.insert(hash));
  CHECK(set.insert(512));
  CHECK(set.insert(512));
}
