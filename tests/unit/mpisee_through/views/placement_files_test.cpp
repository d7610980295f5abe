#include "views/placement_files.hpp"

#include <catch2/catch.hpp>
#include <sstream>

using namespace mpisee_through;

namespace {

// All ranks exchange with all others, with so many bytes that their sum takes 40 bits.
Traffic much() {
  Traffic traffic;
  traffic.run.ranks = 32;
  for (std::uint32_t from = 0; from < 32; ++from) {
    for (std::uint32_t to = 0; to < 32; ++to) {
      if (from != to)
        traffic.pairs.push_back({WorldRank{from}, WorldRank{to}, {1, from == 0 ? 1 : std::uint64_t{1} << 30U}});
    }
  }
  return traffic;
}

}  // namespace

TEST_CASE("weights add up to no more than 32 bits hold, and none is 0") {
  std::stringstream graph;
  write_metis(graph, much(), Measure::bytes);
  std::string line;
  std::getline(graph, line);
  CHECK(line == "32 496 001");  // 32 * 31 / 2
  double sum = 0;
  for (int rank = 0; rank < 32; ++rank) {
    std::getline(graph, line);
    std::istringstream fields(line);
    std::uint64_t neighbour = 0;
    for (std::uint64_t weight = 0; fields >> neighbour >> weight; sum += static_cast<double>(weight)) {
      CHECK(weight > 0);
      // Pairs with rank 0 have 2^30 + 1 bytes, the others twice 2^30; 992 weights of about 2^31 take 41 bits, ten too
      // many.
      CHECK(weight == (rank == 0 || neighbour == 1 ? 1U << 20U : 1U << 21U));
    }
  }
  CHECK(sum == 2 * (31 * 1048576.0 + 465 * 2097152.0));
  CHECK(sum < 2147483647.0);
}
