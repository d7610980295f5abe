#include <catch2/catch.hpp>
#include <map>
#include <random>

#include "reader/group_by.hpp"

using mpisee_through::SortedSums;

TEST_CASE("sums come out in the order of their keys, whatever the order of summands") {
  std::mt19937 random(7);
  for (int const keys : {1, 10, 5'000, 50'000}) {
    SortedSums<int, long> sums;
    std::map<int, long> expected;
    std::uniform_int_distribution<int> any_key(0, keys - 1);
    for (int i = 0; i < 60'000; ++i) {
      int const key = any_key(random);
      sums.add(key, i);
      expected[key] += i;
    }
    std::map<int, long> found;
    int last = -1;
    for (auto const& [key, sum] : sums.take()) {
      REQUIRE(key > last);
      last = key;
      found[key] = sum;
    }
    CHECK(found == expected);
    CHECK(sums.take().empty());
  }
}
