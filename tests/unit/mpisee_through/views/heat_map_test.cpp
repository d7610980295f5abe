#include "views/heat_map.hpp"

#include <catch2/catch.hpp>

using namespace mpisee_through;

namespace {

Traffic traffic(std::uint32_t ranks, std::vector<PairTraffic> pairs) {
  Traffic traffic;
  traffic.run.ranks = ranks;
  traffic.pairs = std::move(pairs);
  return traffic;
}

PairTraffic pair(std::uint32_t from, std::uint32_t to, std::uint64_t bytes) {
  return {WorldRank{from}, WorldRank{to}, {1, bytes}};
}

HeatMapCells cells(std::vector<PairTraffic> pairs) {
  return HeatMapCells(traffic(4, std::move(pairs)), Measure::bytes);
}

}  // namespace

TEST_CASE("more ranks share cells, in which their amounts are added up") {
  HeatMapCells const many(traffic(1025, {pair(0, 1024, 7), pair(2, 1022, 8), pair(1, 1021, 16), pair(3, 0, 1)}),
                          Measure::bytes);
  CHECK(many.ranks_per_cell == 3);
  CHECK(many.side == 342);  // 1025 / 3, rounded up
  CHECK(many.at(0, 341) == 7);
  CHECK(many.at(0, 340) == 8 + 16);
  CHECK(many.at(1, 0) == 1);
  HeatMapCells const messages(traffic(1025, {pair(2, 1022, 8), pair(1, 1021, 16)}), Measure::messages);
  CHECK(messages.at(0, 340) == 2);
}

TEST_CASE("the scale is even from 0 where amounts are alike") {
  ColourScale const scale(cells({pair(0, 1, 10), pair(1, 0, 999)}));
  CHECK_FALSE(scale.is_logarithmic());
  CHECK(scale.smallest() == 0);
  CHECK(scale.largest() == 999);
  CHECK(scale.position(0) == 0);
  CHECK(scale.position(333) == Approx(1.0 / 3));
  CHECK(scale.position(999) == 1);
  CHECK(scale.amount_at(0.5) == 500);  // 499.5, rounded
  CHECK(scale.amount_at(1) == 999);
}

TEST_CASE("the scale goes by factors where amounts are far apart") {
  ColourScale const scale(cells({pair(0, 1, 10), pair(1, 0, 100'000)}));
  CHECK(scale.is_logarithmic());
  CHECK(scale.position(10) == 0);
  CHECK(scale.position(1000) == Approx(0.5));
  CHECK(scale.position(100'000) == Approx(1));
  CHECK(scale.amount_at(0) == 10);
  CHECK(scale.amount_at(0.5) == 1000);
}

TEST_CASE("a picture is known by the end of its name") {
  CHECK(is_picture_name("a.svg"));
  CHECK(is_picture_name("/b/a.b.svg"));
  CHECK_FALSE(is_picture_name("a.png"));
  CHECK_FALSE(is_picture_name("a.gif"));
  CHECK_FALSE(is_picture_name("svg"));
  CHECK_FALSE(is_picture_name(".svg"));
}
