#include "report/pair_sums.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

PairSums pairs_of(TemporaryProfile const& files) {
  Summary const summary = files.summarise();
  ShownCommunicators communicators(summary, 100);
  return add_up_pairs(Profile(files.path()), {}, communicators);
}

// place/class: from>to messages bytes
std::string text(PairSums::Pair const& pair) {
  return fmt::format("{}/{}: {}>{} {} {}", pair.communicator, name_of(pair.traffic_class), pair.from, pair.to,
                     pair.amount.messages, pair.amount.bytes);
}

}  // namespace

TEST_CASE("pairs are added up over regions, sizes and operations") {
  TemporaryProfile const files({.ranks = 4,
                                .peers = {{"main,W,p2p,0,1,8,15,2,16,", "solve,W,p2p,0,1,16,31,1,30,",
                                           "main,SELF,rma,1,0,8,15,3,30,", "main,W,internal,2,3,8,15,4,40,Bcast",
                                           "main,W,internal,2,3,0,0,2,0,Barrier", "main,W,p2p,3,-1,8,15,5,50,"}}});
  PairSums const sums = pairs_of(files);
  std::vector<std::string> found;
  for (auto const& pair : sums.pairs) found.push_back(text(pair));
  CHECK(sums.ranks_per_bin == 1);
  CHECK(sums.bins == 4);
  // No calls: SELF is before W by name. Another world is behind the last rank.
  CHECK(found ==
        std::vector<std::string>{"0/rma: 1>0 3 30", "1/p2p: 0>1 3 46", "1/p2p: 3>4 5 50", "1/internal: 2>3 6 40"});
}

TEST_CASE("of too many pairs, neighbours count as one") {
  // 1,100 x 1,000 pairs are more than 2^20: 2 x 2 of them count as one. Each has 1 message of 8 bytes.
  std::vector<std::string> rows;
  for (int from = 0; from < 1100; ++from) {
    for (int to = 0; to < 1000; ++to) rows.push_back(fmt::format("main,W,p2p,{},{},8,15,1,8,", from, to));
  }
  rows.emplace_back("main,W,p2p,1099,-1,8,15,1,8,");
  PairSums const sums = pairs_of(TemporaryProfile({.ranks = 1100, .peers = std::move(rows)}));
  CHECK(sums.ranks_per_bin == 2);
  CHECK(sums.bins == 550);
  REQUIRE(sums.pairs.size() == 550 * 500 + 1);
  CHECK(text(sums.pairs.front()) == "1/p2p: 0>0 4 32");
  CHECK(text(sums.pairs.back()) == "1/p2p: 549>550 1 8");
}

TEST_CASE("sums that cannot be counted are an error of the file") {
  std::string const much = fmt::format("main,W,p2p,0,1,8,15,1,{},", UINT64_MAX);
  TemporaryProfile const files({.peers = {{much, much}}});
  CHECK_THROWS_WITH(pairs_of(files), Catch::Contains("peers.csv:3: the numbers add up to more than can be counted"));
}
