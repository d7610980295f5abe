#include "scaling/badge.hpp"

#include <catch2/catch.hpp>

using namespace mpisee_through;
using Catch::Contains;

namespace {

std::string badge_with(std::optional<double> efficiency) {
  ScalingPoint point;
  point.ranks = 8;
  point.values[static_cast<std::size_t>(FactorIndex::parallel)] = efficiency;
  return badge_of(point);
}

}  // namespace

TEST_CASE("the badge has the number, and the colour of the number that it shows") {
  CHECK_THAT(badge_with(0.874), Contains("aria-label=\"parallel efficiency: 87 %\"") && Contains("#1a7f37"));
  CHECK_THAT(badge_with(0.874), Contains("<title>parallel efficiency on 8 ranks: 87 %</title>"));
  CHECK_THAT(badge_with(0.796), Contains(">80 %<") && Contains("#1a7f37"));
  CHECK_THAT(badge_with(0.794), Contains(">79 %<") && Contains("#8a6100"));
  CHECK_THAT(badge_with(0.59), Contains(">59 %<") && Contains("#c62828"));
  CHECK_THAT(badge_with(std::nullopt), Contains(">unknown<") && Contains("#6b7280"));
}
