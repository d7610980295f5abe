#include "summary/rank_spread.hpp"

#include <catch2/catch.hpp>

using mpisee_through::RankSpread;
using mpisee_through::WorldRank;

TEST_CASE("a spread is over sums of ranks and not over summands") {
  RankSpread spread;
  CHECK(spread.ranks() == 0);
  CHECK(spread.min_s() == 0);
  CHECK(spread.max_s() == 0);

  spread.add(WorldRank{3}, 0.5);
  spread.add(WorldRank{3}, 1.5);
  CHECK(spread.ranks() == 1);
  CHECK(spread.min_s() == 2.0);
  CHECK(spread.max_s() == 2.0);

  spread.add(WorldRank{5}, 0.25);  // so far the smallest
  CHECK(spread.min_s() == 0.25);
  spread.add(WorldRank{5}, 4.0);
  CHECK(spread.ranks() == 2);
  CHECK(spread.min_s() == 2.0);
  CHECK(spread.max_s() == 4.25);

  spread.add(WorldRank{6}, 1.0);
  spread.add(WorldRank{7}, 3.0);
  CHECK(spread.ranks() == 4);
  CHECK(spread.min_s() == 1.0);
  CHECK(spread.max_s() == 4.25);
}
