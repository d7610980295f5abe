#include "report/binned_sums.hpp"

#include <catch2/catch.hpp>
#include <compare>
#include <cstdint>
#include <utility>
#include <vector>

using namespace mpisee_through;

namespace {

struct Key {
  std::uint32_t rank;
  std::uint32_t kind;

  auto operator<=>(Key const&) const = default;
  [[nodiscard]] Key merged(unsigned times) const { return {rank >> times, kind}; }
  [[nodiscard]] std::size_t hash() const { return rank; }
};
using Sums = BinnedSums<Key, int>;
using All = std::vector<std::pair<Key, int>>;

}  // namespace

TEST_CASE("below the limit, each rank has its own sum") {
  Sums sums(3);
  sums.add({5, 0}, 10);
  sums.add({2, 1}, 1);
  sums.add({5, 0}, 4);
  sums.add({2, 0}, 2);
  CHECK(sums.ranks_per_bin() == 1);
  CHECK(sums.sorted() == All{{{2, 0}, 2}, {{2, 1}, 1}, {{5, 0}, 14}});
}

TEST_CASE("beyond the limit, neighbours become one until it is kept") {
  Sums sums(2);
  for (std::uint32_t rank = 0; rank < 8; ++rank) sums.add({rank, 0}, 1 << rank);
  CHECK(sums.ranks_per_bin() == 4);
  CHECK(sums.sorted() == All{{{0, 0}, 0x0f}, {{1, 0}, 0xf0}});

  // A rank that comes later goes into the bin of its neighbours.
  sums.add({2, 0}, 1000);
  CHECK(sums.sorted() == All{{{0, 0}, 1015}, {{1, 0}, 0xf0}});
}

TEST_CASE("what ranks cannot bring below the limit stays") {
  Sums sums(2);
  for (std::uint32_t kind = 0; kind < 4; ++kind) sums.add({UINT32_MAX, kind}, 1);
  CHECK(sums.sorted().size() == 4);
  CHECK(sums.ranks_per_bin() == std::uint64_t{1} << 31U);
}

TEST_CASE("bins can be larger from the start") {
  Sums sums(100, 3);
  sums.add({7, 0}, 1);
  sums.add({8, 0}, 2);
  CHECK(sums.ranks_per_bin() == 8);
  CHECK(sums.sorted() == All{{{0, 0}, 1}, {{1, 0}, 2}});
}
