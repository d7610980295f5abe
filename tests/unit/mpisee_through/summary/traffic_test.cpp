#include "summary/traffic.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>

#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

constexpr WorldRank rank(std::uint32_t number) { return WorldRank{number}; }

// Four ranks on two hosts, 0 and 1, 2 and 3. Amounts in a region are written as messages x bytes:
//   p2p       0 -> 1: main 2 x 16 on W, solve 1 x 8 on W; 1 x 100 on "odd"; 0 -> 2: 1 x 100; 3 -> other world: 5 x 50
//   rma       1 -> 0: 3 x 30
//   internal  2 -> 3: Bcast 4 x 40, Barrier 2 x 0
class FourRanks : public TemporaryProfile {
 public:
  FourRanks()
      : TemporaryProfile({.ranks = 4,
                          .communicators = {"W_s1.1,W,Comm_split,2,1-3:2,,,odd,0"},
                          .peers = {{
                              "main,W,p2p,0,1,8,15,2,16,",
                              "solve,W,p2p,0,1,8,15,1,8,",
                              "solve/halo,W_s1.1,p2p,0,1,64,127,1,100,",
                              "main,W,p2p,0,2,64,127,1,100,",
                              "main,W,rma,1,0,8,15,3,30,",
                              "main,W,internal,2,3,8,15,4,40,Bcast",
                              "main,W,internal,2,3,0,0,2,0,Barrier",
                              "main,W_p2,p2p,3,-1,8,15,5,50,",
                          }}}) {
    replace("ranks.csv", "2,host,", "2,other,");
    replace("ranks.csv", "3,host,", "3,other,");
  }
};

Traffic traffic(Selection const& selection = {}, Detail detail = Detail::operations) {
  FourRanks const files;
  return add_up_traffic(Profile(files.path()), selection, detail);
}

using Pairs = std::map<std::pair<WorldRank, WorldRank>, Amount>;
Pairs pairs(Selection const& selection) {
  Pairs pairs;
  for (PairTraffic const& pair : traffic(selection).pairs) pairs[{pair.from, pair.to}] = pair.amount;
  return pairs;
}

}  // namespace

TEST_CASE("messages are added up for each pair, over everything else") {
  Traffic const all = traffic();
  REQUIRE(all.pairs.size() == 5);
  CHECK(all.pairs[0].from == rank(0));
  CHECK(all.pairs[0].to == rank(1));
  CHECK(all.pairs[0].amount == Amount{4, 124});  // 2 + 1 + 1, 16 + 8 + 100
  CHECK(all.pairs[1].to == rank(2));
  CHECK(all.pairs[2].from == rank(1));  // in the order of ranks
  CHECK(all.pairs[3].amount == Amount{6, 40});
  CHECK(all.pairs[4].from == rank(3));
  CHECK(all.pairs[4].to == other_world);
  CHECK(all.sizes.empty());
  CHECK(all.total == Amount{19, 344});  // 4 + 1 + 3 + 6 + 5, 124 + 100 + 30 + 40 + 50
  CHECK(all.of(TrafficClass::p2p) == Amount{10, 274});
  CHECK(all.of(TrafficClass::rma) == Amount{3, 30});
  CHECK(all.of(TrafficClass::internal) == Amount{6, 40});
  // 0 -> 1, 1 -> 0 and 2 -> 3; where the other world runs is not known
  CHECK(all.within_hosts == Amount{13, 194});
}

TEST_CASE("messages are selected by class, communicator, region, operation and rank") {
  CHECK(pairs({.classes = {TrafficClass::rma}}) == Pairs{{{rank(1), rank(0)}, {3, 30}}});
  CHECK(pairs({.classes = {TrafficClass::rma, TrafficClass::internal}}).size() == 2);
  CHECK(pairs({.communicators = {"odd"}}) == Pairs{{{rank(0), rank(1)}, {1, 100}}});
  CHECK(pairs({.communicators = {"W_s*", "W_p2"}}).size() == 2);  // W_p2 is not in communicators.csv
  CHECK(pairs({.regions = {"solve"}}) == Pairs{{{rank(0), rank(1)}, {1, 8}}});
  CHECK(pairs({.regions = {"solve*"}}) == Pairs{{{rank(0), rank(1)}, {2, 108}}});
  CHECK(pairs({.operations = {"mpi_bcast"}}) == Pairs{{{rank(2), rank(3)}, {4, 40}}});
  CHECK(pairs({.from = RankSet::parse("0")}).size() == 2);
  CHECK(pairs({.from = RankSet::parse("0"), .to = RankSet::parse("2-3")}) == Pairs{{{rank(0), rank(2)}, {1, 100}}});
  CHECK(pairs({.to = RankSet::parse("0-3")}).size() == 4);  // no rank is the other world
  // either end
  CHECK(pairs({.ranks = RankSet::parse("3")}) ==
        Pairs{{{rank(2), rank(3)}, {6, 40}}, {{rank(3), other_world}, {5, 50}}});
}

// Alltoall: 300 bytes of each rank, a third of them for itself, in two calls. Bcast from rank 1: 50 bytes to each, in
// five calls. Gather: 30 bytes of each rank, in three calls.
TEST_CASE("messages of collectives are estimated from their bytes") {
  TemporaryProfile::Content content{.ranks = 3, .peers = {{"main,W,p2p,0,1,8,15,1,8,"}}};
  for (int rank = 0; rank < 3; ++rank) {
    std::string const region = rank == 0 ? "main" : "solve", begin = fmt::format("{},W,3,{},", region, rank);
    content.operations.insert(
        content.operations.end(),
        {begin + "Alltoall,128,255,2,300,0,1,1,1", begin + "Gather,8,15,3,30,0,1,1,1",
         begin + (rank == 1 ? "Bcast,0,0,5,0,0,1,1,1" : "Bcast,8,15,5,0,50,1,1,1"), begin + "Barrier,0,0,1,0,0,1,1,1",
         fmt::format("main,SELF,1,{},Bcast,8,15,1,0,8,1,1,1", rank)});
  }
  TemporaryProfile const files(content);
  auto const estimate = [&](Selection const& selection) {
    Pairs pairs;
    for (PairTraffic const& pair : add_up_traffic(Profile(files.path()), selection, Detail::operations).pairs)
      pairs[{pair.from, pair.to}] = pair.amount;
    return pairs;
  };
  CHECK(estimate({}) == Pairs{{{rank(0), rank(1)}, {1, 8}}});
  CHECK(estimate({.classes = {TrafficClass::estimate}}) == Pairs{{{rank(0), rank(1)}, {2, 100}},
                                                                 {{rank(0), rank(2)}, {2, 100}},
                                                                 {{rank(1), rank(0)}, {2 + 5 + 3, 100 + 50 + 30}},
                                                                 {{rank(1), rank(2)}, {2 + 5, 100 + 50}},
                                                                 {{rank(2), rank(0)}, {2 + 3, 100 + 30}},
                                                                 {{rank(2), rank(1)}, {2, 100}}});
  CHECK(estimate({.operations = {"Bcast"}, .classes = {TrafficClass::estimate}}) ==
        Pairs{{{rank(1), rank(0)}, {5, 50}}, {{rank(1), rank(2)}, {5, 50}}});
  // Each rank is the root in turn.
  TemporaryProfile const turns(
      {.ranks = 3,
       .operations = {"main,W,3,0,Bcast,0,0,1,0,0,1,1,1", "main,W,3,0,Bcast,8,15,2,0,20,1,1,1",
                      "main,W,3,1,Bcast,0,0,1,0,0,1,1,1", "main,W,3,1,Bcast,8,15,2,0,20,1,1,1",
                      "main,W,3,2,Bcast,0,0,1,0,0,1,1,1", "main,W,3,2,Bcast,8,15,2,0,20,1,1,1"},
       .peers = std::vector<std::string>{}});
  Traffic const all = add_up_traffic(Profile(turns.path()), {.classes = {TrafficClass::estimate}}, Detail::operations);
  REQUIRE(all.pairs.size() == 6);
  for (PairTraffic const& pair : all.pairs) CHECK(pair.amount == Amount{1, 10});
  Selection const both{.regions = {"main"}, .classes = {TrafficClass::p2p, TrafficClass::estimate}};
  CHECK(estimate(both).at({rank(0), rank(1)}) == Amount{3, 108});
}

TEST_CASE("a pattern or a rank that nothing answers to is an error") {
  CHECK_THROWS_WITH(traffic({.communicators = {"X"}}), "--comm: no communicator of the profile matches \"X\"");
  CHECK_THROWS_WITH(traffic({.regions = {"X"}}), "--region: no region of the profile matches \"X\"");
  CHECK_THROWS_WITH(traffic({.operations = {"Send"}}),
                    "--op: no operation behind a message of the profile matches \"Send\"");
  CHECK_THROWS_WITH(traffic({.ranks = RankSet::parse("4")}), "--rank: no rank 4, the run had ranks 0 to 3");
  CHECK_THROWS_WITH(traffic({.from = RankSet::parse("4")}), "--from: no rank 4, the run had ranks 0 to 3");
  CHECK_THROWS_WITH(traffic({.to = RankSet::parse("4")}), "--to: no rank 4, the run had ranks 0 to 3");
  CHECK(pairs({.communicators = {"SELF"}}).empty());  // it exists and has no messages
}

TEST_CASE("histograms are of all pairs and of each") {
  Traffic const all = traffic({}, Detail::message_sizes);
  CHECK(all.pairs.size() == 5);  // as without sizes
  std::vector<SizeAmount> const sizes = sizes_of_all(all);
  REQUIRE(sizes.size() == 3);
  CHECK(sizes[0].size == SizeBin{0, 0});
  CHECK(sizes[0].amount == Amount{2, 0});
  CHECK(sizes[1].size == SizeBin{8, 15});
  CHECK(sizes[1].amount == Amount{15, 144});  // 2 + 1 + 3 + 4 + 5, 16 + 8 + 30 + 40 + 50
  CHECK(sizes[2].amount == Amount{2, 200});

  std::vector<SizeAmount> const first = sizes_of(all, all.pairs[0]);
  REQUIRE(first.size() == 2);
  CHECK(first[0].amount == Amount{3, 24});
  CHECK(first[1].amount == Amount{1, 100});
}

TEST_CASE("the busiest pairs come first, equal ones in the order of ranks") {
  Traffic const all = traffic();
  CHECK(busiest_pairs(all, Measure::bytes) == std::vector<std::size_t>{0, 1, 4, 3, 2});     // 124, 100, 50, 40, 30
  CHECK(busiest_pairs(all, Measure::messages) == std::vector<std::size_t>{3, 4, 0, 2, 1});  // 6, 5, 4, 3, 1
}

TEST_CASE("more messages than can be counted are an error of the file") {
  TemporaryProfile const files(
      {.peers = {{"main,W,p2p,0,1,8,15,1,18446744073709551615,", "main,W,p2p,0,1,8,15,1,1,"}}});
  CHECK_THROWS_WITH(add_up_traffic(Profile(files.path()), {}, Detail::operations),
                    Catch::EndsWith("peers.csv:3: the numbers add up to more than can be counted"));
}
