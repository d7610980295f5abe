#include "summary/rank_spread.hpp"

#include <catch2/catch.hpp>
#include <initializer_list>
#include <utility>

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

TEST_CASE("spreads of later ranks are appended") {
  auto const spread_of = [](std::initializer_list<std::pair<unsigned, double>> ranks) {
    RankSpread spread;
    for (auto const& [rank, seconds] : ranks) spread.add(WorldRank{rank}, seconds);
    return spread;
  };
  RankSpread all;
  for (RankSpread const& part : {RankSpread(), spread_of({{1, 2.0}, {2, 3.0}}), RankSpread(), spread_of({{4, 2.0}}),
                                 spread_of({{5, 3.0}, {6, 2.5}})})
    all.append(part);
  CHECK(all.ranks() == 5);
  CHECK(all.min().rank == WorldRank{1});  // of equal ones, the first
  CHECK(all.max().rank == WorldRank{2});
  all.add(WorldRank{8}, 1.0);
  all.add(WorldRank{8}, 0.5);
  CHECK(all.ranks() == 6);
  CHECK(all.min_s() == 1.5);
  CHECK(all.max_s() == 3.0);
}
