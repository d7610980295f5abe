#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "summary/traffic.hpp"
#include "support/run_tool.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

// Four ranks. Alltoall on W: each has 100 B for each; on folded communicators of two ranks each: each sends 1,000 B.
TemporaryProfile::Content with_folded() {
  TemporaryProfile::Content content{.ranks = 4, .communicators = {"W_s*,W,Comm_split,2,0-3,,,,1"}, .peers = {{}}};
  for (int rank = 0; rank < 4; ++rank) {
    content.operations.push_back("main,W,4," + std::to_string(rank) + ",Alltoall,256,511,1,400,0,1,1,1");
    content.operations.push_back("main,W_s*,2," + std::to_string(rank) + ",Alltoall,512,1023,1,1000,0,1,1,1");
  }
  return content;
}

using Sent = std::vector<std::string>;

// Who sends how much in one call on W: "0>1 100". bytes_of_rank: "BYTES_SENT,BYTES_RECEIVED" of each.
Sent sent_in(std::string const& operation, std::vector<std::string> const& bytes_of_rank) {
  std::size_t const ranks = bytes_of_rank.size();
  TemporaryProfile::Content content{.ranks = static_cast<std::uint32_t>(ranks), .peers = {{}}};
  for (std::size_t i = 0; i < ranks; ++i)
    content.operations.push_back(
        fmt::format("main,W,{},{},{},64,127,1,{},1,1,1", ranks, i, operation, bytes_of_rank[i]));
  TemporaryProfile const files(content);
  Selection selection;
  selection.classes = {TrafficClass::estimate};
  Sent sent;
  for (PairTraffic const& one : add_up_traffic(Profile(files.path()), selection, Detail::operations).pairs)
    sent.push_back(fmt::format("{}>{} {}", static_cast<int>(one.from), static_cast<int>(one.to), one.amount.bytes));
  return sent;
}

}  // namespace

TEST_CASE("a rank's own block of an Alltoall is in no message") {
  for (std::string const operation : {"Alltoall", "Ialltoallv", "Alltoallw"}) {
    CHECK(sent_in(operation, {"100,0", "100,0"}) == Sent{"0>1 50", "1>0 50"});
    // What cannot be divided goes to the first ranks, also to the sender itself: 34, 33 and 33 B.
    CHECK(sent_in(operation, {"100,0", "100,0", "0,0"}) == Sent{"0>1 33", "0>2 33", "1>0 34", "1>2 33"});
  }
}

TEST_CASE("all of what a call among all counts once leaves the rank") {
  CHECK(sent_in("Allgather", {"100,0", "100,0"}) == Sent{"0>1 100", "1>0 100"});
  CHECK(sent_in("Allreduce", {"100,0", "100,0", "100,0"}) ==
        Sent{"0>1 50", "0>2 50", "1>0 50", "1>2 50", "2>0 50", "2>1 50"});
}

TEST_CASE("a rank's block of a Reduce_scatter comes from the others") {
  CHECK(sent_in("Reduce_scatter", {"0,100", "0,0"}) == Sent{"1>0 100"});
  CHECK(sent_in("Ireduce_scatter_block", {"0,90", "0,90", "0,90"}) ==
        Sent{"0>1 45", "0>2 45", "1>0 45", "1>2 45", "2>0 45", "2>1 45"});
}

TEST_CASE("the root's own block of a gather or scatter is in no message") {
  CHECK(sent_in("Gather", {"100,0", "100,0", "100,0"}) == Sent{"1>0 100", "2>0 100"});
  CHECK(sent_in("Reduce", {"100,0", "100,0"}) == Sent{"1>0 100"});
  CHECK(sent_in("Scatter", {"0,100", "0,100", "0,100"}) == Sent{"0>1 100", "0>2 100"});
  // A rank is not taken for the root because a scatter has nothing for it.
  CHECK(sent_in("Scatterv", {"0,100", "0,100", "0,0"}) == Sent{"0>1 100"});
  CHECK(sent_in("Bcast", {"0,100", "0,0", "0,100"}) == Sent{"1>0 100", "1>2 100"});
}

TEST_CASE("the estimate has nothing of folded communicators, and says so") {
  TemporaryProfile const files(with_folded());
  Selection selection;
  selection.classes = {TrafficClass::estimate};
  Traffic const traffic = add_up_traffic(Profile(files.path()), selection, Detail::operations);
  CHECK(traffic.total.bytes == 12 * 100);
  CHECK(traffic.pairs.size() == 12);
  CHECK(traffic.without_estimate == 4 * 1000);
  std::string const path = files.path().string();
  CHECK(
      contains(run_tool("--matrix --class estimate " + path).out,
               "The estimate lacks 3.906 KiB of collectives on communicators whose members or groups are not known."));
  CHECK(run_tool("--matrix --class estimate --csv --top 1 " + path).out ==
        "src,dst,messages,bytes,has_estimate\n0,1,1,100,1\n");
  CHECK(contains(run_tool("--matrix --class estimate --json " + path).out, "\"without_estimate\":4000"));
  CHECK_FALSE(contains(run_tool("--matrix --json " + path).out, "estimate\":4000"));
}

TEST_CASE("the estimate has nothing of intercommunicators and of what is made from them, but for merged ones") {
  TemporaryProfile::Content content{
      .ranks = 4,
      .communicators = {"PARENT,,,6,0-3,,,,1", "SELF_p1_m1,SELF_p1,Intercomm_merge,2,,,,,1",
                        "W_i1.0-1.2-3_s3.0,W_i1.0-1.2-3,Comm_split,4,0-3,,,,1",
                        "W_f1.0-1.2-3.a,W,Intercomm_create_from_groups,4,0-3,,,,1",
                        "W_i1.0-1.2-3,W,Intercomm_create,4,0-3,,,,1",
                        "W_i1.0-1.2-3_d1,W_i1.0-1.2-3,Comm_dup,4,0-3,,,,1",
                        "W_i1.0-1.2-3_m2,W_i1.0-1.2-3,Intercomm_merge,4,0-3,,,,1",
                        "W_i1.0-1.2-3_m2_d1,W_i1.0-1.2-3_m2,Comm_dup,4,0-3,,,,1", "W_p1,W,Comm_spawn,8,0-3,,,,1",
                        "W_p1_m1,W_p1,Intercomm_merge,8,0-3,,,,1"},
      .peers = {{}}};
  std::pair<char const*, int> const bytes_on[]{{"W_f1.0-1.2-3.a", 1},         {"W_i1.0-1.2-3", 10},
                                               {"W_i1.0-1.2-3_d1", 100},      {"W_i1.0-1.2-3_m2", 1000},
                                               {"W_i1.0-1.2-3_m2_d1", 10000}, {"W_p1", 100000},
                                               {"W_p1_m1", 1000000},          {"PARENT", 2000000},
                                               {"SELF_p1_m1", 4000000},       {"W_i1.0-1.2-3_s3.0", 8000000}};
  for (int const rank : {0, 1})
    for (auto const& [communicator, bytes] : bytes_on)
      content.operations.push_back(
          fmt::format("main,{},4,{},Allgather,256,511,1,{},0,1,1,1", communicator, rank, bytes));
  TemporaryProfile const files(content);
  Selection selection;
  selection.classes = {TrafficClass::estimate};
  Traffic const traffic = add_up_traffic(Profile(files.path()), selection, Detail::operations);
  CHECK(traffic.total.bytes == 2 * 11000);
  CHECK(traffic.without_estimate == 2 * 15100111);
}
