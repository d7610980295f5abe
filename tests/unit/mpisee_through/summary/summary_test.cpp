#include "summary/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <string_view>

#include "support/run_tool.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

CommunicatorSummary const& communicator(Summary const& summary, std::string_view name) {
  for (CommunicatorSummary const& candidate : summary.communicators) {
    if (candidate.name == name) return candidate;
  }
  FAIL("no communicator " << name);
  return summary.communicators.front();
}

OperationSummary const* find(Summary const& summary, CommunicatorSummary const& in, std::string const& name,
                             std::optional<SizeBin> size = {}) {
  for (OperationSummary const& operation : in.operations) {
    if (summary.name_of(operation.operation) == name && operation.size == size) return &operation;
  }
  return nullptr;
}

// Four ranks. Times are powers of two, so that sums are exact.
//   W           rank 0: Send 8-15 B twice (two regions) and 64-127 B; ranks 1, 2: Recv; all but 3: Bcast
//   W_s1.1      ranks 1 and 3: Send of rank 3 only
//   SELF        rank 2
TemporaryProfile four_ranks() {
  return TemporaryProfile({.ranks = 4,
                           .communicators = {"W_s1.1,W,Comm_split,2,1-3:2,,,odd,0"},
                           .operations = {
                               "main,W,4,0,Send,8,15,2,16,0,1.0,0.25,0.75",
                               "solve,W,4,0,Send,8,15,1,8,0,0.5,0.5,0.5",
                               "main,W,4,0,Send,64,127,1,100,0,2.0,2.0,2.0",
                               "main,W,4,0,Bcast,0,0,3,0,0,0.25,0.0625,0.125",
                               "main,W,4,1,Recv,8,15,3,0,24,4.0,1.0,2.0",
                               "main,W,4,1,Bcast,4,7,3,0,12,0.5,0.125,0.25",
                               "main,W,4,2,Recv,64,127,1,0,100,1.0,1.0,1.0",
                               "main,W,4,2,Bcast,4,7,3,0,12,0.75,0.125,0.25",
                               "main,SELF,1,2,Sendrecv,8,15,1,8,8,0.125,0.125,0.125",
                               "main,W_s1.1,2,3,Send,8,15,5,40,0,0.5,0.03125,0.25",
                           }});
}

}  // namespace

TEST_CASE("times per rank are summed over sizes and regions before they are compared") {
  TemporaryProfile const files = four_ranks();
  Summary const summary = files.summarise();
  CommunicatorSummary const& world = communicator(summary, "W");
  CHECK(world.ranks == 4);

  OperationSummary const* send = find(summary, world, "Send");
  REQUIRE(send != nullptr);
  CHECK(send->totals.calls == 4);         // 2 + 1 + 1
  CHECK(send->totals.bytes_sent == 124);  // 16 + 8 + 100
  CHECK(send->totals.bytes_received == 0);
  CHECK(send->totals.time_s == 3.5);    // 1 + 0.5 + 2
  CHECK(world.mean_s(*send) == 0.875);  // 3.5 over 4 ranks
  CHECK(world.max_s(*send) == 3.5);     // rank 0
  CHECK(world.min_s(*send) == 0);       // ranks 1 to 3 never sent
  CHECK(send->shortest_s == 0.25);
  CHECK(send->longest_s == 2.0);

  OperationSummary const* bcast = find(summary, world, "Bcast");
  REQUIRE(bcast != nullptr);
  CHECK(bcast->totals.time_s == 1.5);
  CHECK(world.mean_s(*bcast) == 0.375);
  CHECK(world.min_s(*bcast) == 0);  // rank 3 is in W and took no part
  CHECK(world.max_s(*bcast) == 0.75);

  CHECK(world.totals.calls == 4 + 4 + 9);
  CHECK(world.totals.bytes_sent == 124);
  CHECK(world.totals.bytes_received == 24 + 100 + 24);
  CHECK(world.totals.bytes() == 272);
  CHECK(world.totals.time_s == 3.5 + 5.0 + 1.5);
}

TEST_CASE("the smallest time is over all ranks if all of them called") {
  TemporaryProfile const files(
      {.operations = {"main,W,2,0,Barrier,0,0,1,0,0,2,2,2", "main,W,2,1,Barrier,0,0,1,0,0,1,1,1"}});
  Summary const summary = files.summarise();
  CommunicatorSummary const& world = communicator(summary, "W");
  CHECK(world.min_s(world.operations[0]) == 1);
  CHECK(world.mean_s(world.operations[0]) == 1.5);
  CHECK(world.max_s(world.operations[0]) == 2);
}

TEST_CASE("means are over the members, for SELF over all ranks") {
  TemporaryProfile const files = four_ranks();
  Summary const summary = files.summarise();
  CommunicatorSummary const& odd = communicator(summary, "W_s1.1");
  CHECK(odd.ranks == 2);
  CHECK(odd.mean_s(odd.operations[0]) == 0.25);
  CHECK(odd.max_s(odd.operations[0]) == 0.5);
  CommunicatorSummary const& self = communicator(summary, "SELF");
  CHECK(self.ranks == 4);
  CHECK(self.mean_s(self.operations[0]) == 0.03125);  // 0.125 / 4
}

TEST_CASE("ranks of which nothing is known are not taken for ranks without calls") {
  TemporaryProfile const files(
      {.ranks = 4,
       .communicators = {"W_s1.0,W,Comm_split,2,0-1,,,,0"},
       .operations = {"main,W,4,0,Barrier,0,0,1,0,0,2,2,2", "main,W,4,2,Barrier,0,0,1,0,0,4,4,4"},
       .more_of_run = R"(, "unfinished": {"ranks_missing": "1,3", "last_record_s": 2,
                                                 "problems": []})"});
  files.write("ranks.csv", "rank,host,pid,cpus,threads,wall_s,mpi_s\n0,host,1,0,1,10,2\n2,host,1,0,1,10,2\n");
  Summary const summary = files.summarise();
  CommunicatorSummary const& world = communicator(summary, "W");
  CHECK(world.ranks == 2);
  CHECK(world.mean_s(world.operations[0]) == 3);
  CHECK(world.min_s(world.operations[0]) == 2);
  CHECK(communicator(summary, "W_s1.0").ranks == 1);
}

TEST_CASE("where members are not known, or not all, means are over the ranks that called something") {
  TemporaryProfile const files(
      {.ranks = 4,
       .communicators = {"W_i1,W,Intercomm_create,2,,,,,0", "W_d*,W,Comm_dup,2,0,,,,0"},
       .operations = {"main,W_i1,2,0,Send,0,0,1,0,0,2,2,2", "main,W_d*,2,0,Barrier,0,0,1,0,0,1,1,1",
                      "main,W_i1,2,1,Recv,0,0,1,0,0,1,1,1", "main,W_d*,2,1,Barrier,0,0,1,0,0,3,3,3"}});
  Summary const summary = files.summarise();
  CommunicatorSummary const& unknown = communicator(summary, "W_i1");
  CHECK(unknown.ranks == 2);
  CHECK(unknown.mean_s(*find(summary, unknown, "Send")) == 1.0);
  CommunicatorSummary const& folded = communicator(summary, "W_d*");
  CHECK(folded.ranks == 2);
  CHECK(folded.mean_s(folded.operations[0]) == 2.0);
}

TEST_CASE("each rank's own communicator of one name counts with the others") {
  TemporaryProfile const files(
      {.ranks = 3,
       .communicators = {"SELF_d1,SELF,Comm_dup,1,0,,,mine,1", "SELF_d1,SELF,Comm_dup,1,1,,,mine,1",
                         "SELF_d1,SELF,Comm_dup,1,2,,,mine,1"},
       .operations = {"main,SELF_d1,1,0,Barrier,0,0,1,0,0,1,1,1", "main,SELF_d1,1,2,Barrier,0,0,1,0,0,2,2,2"}});
  Summary const summary = files.summarise();
  REQUIRE(summary.communicators.size() == 3);  // W, SELF and this
  CommunicatorSummary const& own = communicator(summary, "SELF_d1");
  CHECK(own.instances == 3);
  CHECK(own.size == 1);
  CHECK(own.members == "0-2");
  CHECK(own.ranks == 3);
  CHECK(own.mean_s(own.operations[0]) == 1.0);  // 1 + 0 + 2 over three ranks
  CHECK(own.min_s(own.operations[0]) == 0);
  CHECK(communicator(files.summarise({.ranks = RankSet::parse("0-1")}), "SELF_d1").ranks == 2);
}

TEST_CASE("communicators of one name and unknown members are one, over the ranks that called something") {
  TemporaryProfile const files(
      {.ranks = 3,
       .communicators = {"SELF_d1,SELF,Comm_dup,1,,,,,1", "SELF_d1,SELF,Comm_dup,1,,,,,1"},
       .operations = {"main,SELF_d1,1,0,Barrier,0,0,1,0,0,1,1,1", "main,SELF_d1,1,2,Barrier,0,0,1,0,0,2,2,2"}});
  Summary const summary = files.summarise();
  CommunicatorSummary const& own = communicator(summary, "SELF_d1");
  CHECK(own.instances == 2);
  CHECK(own.ranks == 2);
  CHECK(own.mean_s(own.operations[0]) == 1.5);
}

TEST_CASE("calls on a communicator that is not listed are shown") {
  TemporaryProfile const files(
      {.operations = {"main,W_d1,2,0,Barrier,0,0,1,0,0,1,1,1", "main,W_d1,2,1,Barrier,0,0,1,0,0,3,3,3"}});
  Summary const summary = files.summarise({.communicators = {"W_d*"}});
  CommunicatorSummary const& unlisted = communicator(summary, "W_d1");
  CHECK(unlisted.selected);
  CHECK(unlisted.instances == 0);
  CHECK(unlisted.size == 2);
  CHECK(unlisted.ranks == 2);
  CHECK(unlisted.mean_s(unlisted.operations[0]) == 2.0);
}

TEST_CASE("shares are of the time of all operations, and add up") {
  TemporaryProfile const files = four_ranks();
  Summary const summary = files.summarise();
  CHECK(summary.operations_s == 10.625);  // W 10, W_s1.1 0.5, SELF 0.125
  CHECK(summary.share_of_mpi(communicator(summary, "W")) == 10.0 / 10.625);
  double sum = 0;
  for (CommunicatorSummary const& one : summary.communicators) sum += summary.share_of_mpi(one).value();
  CHECK(sum == Approx(1.0));
  CHECK_FALSE(TemporaryProfile().summarise().share_of_mpi(CommunicatorSummary()).has_value());
}

TEST_CASE("by size, each bin is a line of its own") {
  TemporaryProfile const files = four_ranks();
  Summary const summary = files.summarise({}, Detail::message_sizes);
  CommunicatorSummary const& world = communicator(summary, "W");
  CHECK(world.operations.size() == 6);  // Send 2, Bcast 2, Recv 2
  OperationSummary const* small = find(summary, world, "Send", SizeBin{8, 15});
  REQUIRE(small != nullptr);
  CHECK(small->totals.calls == 3);
  CHECK(small->totals.bytes_sent == 24);
  CHECK(world.max_s(*small) == 1.5);
  OperationSummary const* large = find(summary, world, "Send", SizeBin{64, 127});
  REQUIRE(large != nullptr);
  CHECK(large->totals.time_s == 2.0);
  CHECK(world.mean_s(*large) == 0.5);
  CHECK(world.totals.time_s == 10.0);  // as without sizes
}

TEST_CASE("selected ranks are all that counts") {
  TemporaryProfile const files = four_ranks();
  Summary const summary = files.summarise({.ranks = RankSet::parse("1,3")});
  CHECK(summary.selected_ranks == 2);
  CHECK(summary.wall_s == 20);
  CHECK(summary.mpi_s == 4);
  CHECK(summary.operations_s == 5.0);  // 4 + 0.5 of rank 1, 0.5 of rank 3
  CommunicatorSummary const& world = communicator(summary, "W");
  CHECK(world.ranks == 2);
  CHECK(world.totals.time_s == 4.5);
  CHECK(find(summary, world, "Send") == nullptr);
  OperationSummary const* receive = find(summary, world, "Recv");
  REQUIRE(receive != nullptr);
  CHECK(world.mean_s(*receive) == 2.0);  // 4 over ranks 1 and 3
  CHECK(communicator(summary, "SELF").ranks == 2);
}

TEST_CASE("a communicator without any selected rank is not selected") {
  TemporaryProfile const files = four_ranks();
  Summary const summary = files.summarise({.ranks = RankSet::parse("0")});
  CHECK(communicator(summary, "W").selected);
  CHECK_FALSE(communicator(summary, "W_s1.1").selected);
}

TEST_CASE("selected communicators and operations leave the whole as it is") {
  TemporaryProfile const files = four_ranks();
  Summary const summary = files.summarise({.communicators = {"W_*", "SELF"}, .operations = {"send"}});
  CHECK_FALSE(communicator(summary, "W").selected);
  CHECK(communicator(summary, "W").operations.empty());
  CHECK(communicator(summary, "SELF").selected);
  CHECK(communicator(summary, "SELF").operations.empty());  // Sendrecv is not Send
  CHECK(communicator(summary, "W_s1.1").totals.calls == 5);
  CHECK(summary.operations_s == 10.625);
  CHECK(summary.share_of_mpi(communicator(summary, "W_s1.1")) == 0.5 / 10.625);
}

TEST_CASE("a communicator is found by the name that the program gave it") {
  TemporaryProfile const files = four_ranks();
  Summary const summary = files.summarise({.communicators = {"odd"}});
  CHECK(communicator(summary, "W_s1.1").selected);
  CHECK_FALSE(communicator(summary, "W").selected);
}

TEST_CASE("a pattern that matches nothing, or a rank that was not there, is an error") {
  TemporaryProfile const files = four_ranks();
  CHECK_THROWS_WITH(files.summarise({.communicators = {"W", "X*"}}),
                    "--comm: no communicator of the profile matches \"X*\"");
  CHECK_THROWS_WITH(files.summarise({.operations = {"Send", "Reduce"}}),
                    "--op: no operation of the profile matches \"Reduce\"");
  CHECK_THROWS_WITH(files.summarise({.ranks = RankSet::parse("0-4")}), "--rank: no rank 4, the run had ranks 0 to 3");
}

TEST_CASE("wall times that add up to more than can be counted are an error") {
  TemporaryProfile const files;
  for (char const* const rank : {"0", "1"})
    files.replace("ranks.csv", std::string("\n") + rank + ",host,1,0,1,10,2",
                  std::string("\n") + rank + ",host,1,0,1,1.7e308,2");
  CHECK(files.problem() == "ranks.csv: the numbers add up to more than can be counted");
}

TEST_CASE("missing ranks in many ranges are told in a line, at once") {
  constexpr int ranks = 100000;
  TemporaryProfile const files;
  std::string rows = "rank,host,pid,cpus,threads,wall_s,mpi_s\n", missing;
  for (int rank = 0; rank < ranks; rank += 2) {
    rows += std::to_string(rank) + ",host,1,0,1,10,2\n";
    missing += (rank > 0 ? "," : "") + std::to_string(rank + 1);
  }
  files.write("ranks.csv", rows);
  files.replace("communicators.csv", "W,,,2,0-1", "W,,,100000,0-99999");
  files.replace(
      "run.json", R"("ranks": 2)",
      R"("ranks": 100000, "unfinished": {"ranks_missing": ")" + missing + R"(", "last_record_s": 1, "problems": []})");
  // The comparison of each range with each other one took 2.5 billion steps.
  ToolRun const run = run_shell("ulimit -t 5; mpisee-through '" + files.path().string() + "'");
  CHECK(run.exit_code == 0);
  CHECK(contains(run.out, "Missing    ranks 1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,...,99999: nothing is known"));
}

TEST_CASE("rows without calls count their bytes and have no shortest call") {
  TemporaryProfile const files(
      {.operations = {"main,W,2,0,Irecv,8,15,0,0,24,0,0,0", "main,W,2,0,Irecv,0,0,3,0,0,1.5,0.25,1"}});
  Summary const summary = files.summarise();
  OperationSummary const& receive = communicator(summary, "W").operations.at(0);
  CHECK(receive.totals.calls == 3);
  CHECK(receive.totals.bytes_received == 24);
  CHECK(receive.shortest_s == 0.25);
  CHECK(receive.longest_s == 1);
}

TEST_CASE("names are the same in all files, and visible in the summary") {
  TemporaryProfile const files({.communicators = {"\"W_\x1b\"\"1\",W,Comm_dup,2,0-1,,,\x1b[31m,0"},
                                .operations = {"main,\"W_\x1b\"\"1\",2,0,\x07,0,0,1,0,0,1,1,1"}});
  Summary const summary = files.summarise();
  CommunicatorSummary const& odd = communicator(summary, "W_\\x1b\"1");
  CHECK(odd.user_name == "\\x1b[31m");
  CHECK(odd.totals.calls == 1);
  CHECK(summary.operation_names == std::vector<std::string>{"\\x07"});
}

TEST_CASE("an operation with more sizes than a run can have is summed as well") {
  // Sizes of 1 to 1,000 B, the largest first; rank 1 makes two calls of each.
  TemporaryProfile::Content content;
  for (int rank = 0; rank < 2; ++rank)
    for (int size = 1000; size > 0; --size)
      content.operations.push_back(
          fmt::format("main,W,2,{},Send,{},{},{},{},0,0.001,0,1", rank, size, size, rank + 1, (rank + 1) * size));
  Summary const summary = TemporaryProfile(content).summarise({}, Detail::operations_and_sizes);
  auto const world = std::ranges::find(summary.communicators, "W", &CommunicatorSummary::name);
  REQUIRE(world->operations.size() == 1);
  std::vector<SizeTotals> const& sizes = world->operations[0].sizes;
  REQUIRE(sizes.size() == 1000);
  CHECK(summary.sizes_with_data.size() == 1000);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    CHECK(sizes[i].size.min_bytes == i + 1);
    CHECK(sizes[i].totals.calls == 3);
    CHECK(sizes[i].totals.bytes_sent == 3 * (i + 1));
  }
}
