#include "report/rank_times.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

struct Times {
  Summary summary;
  ShownCommunicators communicators;
  BinnedTimes ranks;
};

Times times_of(TemporaryProfile const& files) {
  Summary summary = files.summarise();
  ShownCommunicators communicators(summary, 100);
  BinnedTimes ranks = add_up_rank_times(Profile(files.path()), {}, summary, communicators);
  return {std::move(summary), std::move(communicators), std::move(ranks)};
}

using SecondsOfNames = std::map<std::pair<std::uint64_t, std::string>, double>;

SecondsOfNames by_operation(Times const& times) {
  SecondsOfNames seconds;
  for (auto const& part : times.ranks.by_operation)
    seconds[{part.bin, times.summary.operation_names[part.of]}] = part.time_s;
  return seconds;
}
SecondsOfNames by_communicator(Times const& times) {
  SecondsOfNames seconds;
  for (auto const& part : times.ranks.by_communicator) {
    CommunicatorIndex const index = times.communicators.nodes()[part.of].communicator;
    seconds[{part.bin, times.summary.communicator(index).name}] = part.time_s;
  }
  return seconds;
}

}  // namespace

TEST_CASE("the time of a rank is that of its operations, and that on its communicators") {
  TemporaryProfile const files(
      {.communicators = {"W_d1,W,Comm_dup,2,0-1,,,,0"},
       .operations = {"main,W,2,0,Send,8,15,1,8,0,1,1,1", "main,W_d1,2,0,Send,8,15,1,8,0,2,2,2",
                      "solve,W_d1,2,0,Send,8,15,1,8,0,4,4,4", "main,W,2,1,Recv,8,15,1,0,8,8,8,8"}});
  files.replace("ranks.csv", "1,host,1,0,1,10,2", "1,other,1,0,1,20,5");
  Times const times = times_of(files);
  CHECK(times.ranks.ranks_per_bin == 1);
  CHECK(by_operation(times) == SecondsOfNames{{{0, "Send"}, 7}, {{1, "Recv"}, 8}});
  CHECK(by_communicator(times) == SecondsOfNames{{{0, "W"}, 1}, {{0, "W_d1"}, 6}, {{1, "W"}, 8}});

  REQUIRE(times.ranks.bins.size() == 2);
  CHECK(times.ranks.hosts == std::vector<std::string>{"host", "other"});
  CHECK(times.ranks.bins[1].wall_s == 20);
  CHECK(times.ranks.bins[1].mpi_s == 5);
  CHECK(times.ranks.bins[1].host == 1);
}

TEST_CASE("of many ranks, neighbours share a bin") {
  // 4,100 ranks would make more than 2,048 bins with 2 ranks a bin, so a bin has 4.
  TemporaryProfile const files(
      {.ranks = 4100,
       .operations = {"main,W,4100,0,Send,8,15,1,8,0,1,1,1", "main,W,4100,3,Send,8,15,1,8,0,2,2,2",
                      "main,W,4100,4,Send,8,15,1,8,0,4,4,4"}});
  files.replace("ranks.csv", "\n6,host,1,0,1,10,2\n", "\n6,other,1,0,1,10,9\n");
  files.replace("ranks.csv", "\n5,host,1,0,1,10,2\n", "\n5,host,1,0,1,10,1\n");
  Times const times = times_of(files);
  CHECK(times.ranks.ranks_per_bin == 4);
  CHECK(times.ranks.bins.size() == 1025);
  CHECK(by_operation(times) == SecondsOfNames{{{0, "Send"}, 3}, {{1, "Send"}, 4}});
  CHECK(by_communicator(times) == SecondsOfNames{{{0, "W"}, 3}, {{1, "W"}, 4}});

  BinnedTimes::Bin const& bin = times.ranks.bins[1];  // ranks 4 to 7
  CHECK(bin.ranks == 4);
  CHECK(bin.wall_s == 40);
  CHECK(bin.mpi_s == 2 + 1 + 9 + 2);
  CHECK(bin.mpi_min_s == 1);
  CHECK(bin.mpi_max_s == 9);
  CHECK(bin.max_rank == 6);
  CHECK(bin.several_hosts);
  CHECK(!times.ranks.bins[0].several_hosts);
}

TEST_CASE("the wall time of a rank is what it is outside MPI, what it waits in MPI, and the rest") {
  TemporaryProfile const files({.ranks = 4});
  // Two threads of rank 2 were in MPI for 8 s each; rank 3 was not in MPI at all.
  files.replace("ranks.csv", "\n2,host,1,0,1,10,2\n", "\n2,host,1,0,2,10,16\n");
  files.replace("ranks.csv", "\n3,host,1,0,1,10,2\n", "\n3,host,1,0,1,10,0\n");
  Summary const summary = files.summarise();
  ShownCommunicators communicators(summary, 100);
  Waits waits;
  waits.measured_of_rank = {0.5, 3, 4, 1};  // of rank 1, more than it was in MPI
  waits.moving_of_rank = {0.5, 1, 16, 0};   // of rank 2, more than the rest
  BinnedTimes const times = add_up_rank_times(Profile(files.path()), {}, summary, communicators, waits);
  CHECK(times.knows_waiting);
  CHECK(times.knows_moving);
  REQUIRE(times.bins.size() == 4);
  CHECK(times.bins[0].outside_s == 8);
  CHECK(times.bins[0].waiting_s == 0.5);
  CHECK(times.bins[0].moving_s == 0.5);
  CHECK(times.bins[1].moving_s == 0);
  CHECK(times.bins[2].moving_s == 6);
  CHECK(times.bins[1].waiting_s == 2);
  CHECK(times.bins[2].outside_s == 2);
  CHECK(times.bins[2].waiting_s == 2);  // 4 s of two threads
  CHECK(times.bins[3].outside_s == 10);
  CHECK(times.bins[3].waiting_s == 0);

  BinnedTimes const unknown = add_up_rank_times(Profile(files.path()), {}, summary, communicators);
  CHECK_FALSE(unknown.knows_waiting);
  CHECK_FALSE(unknown.knows_moving);
  CHECK(unknown.bins[0].outside_s == 8);
  CHECK(unknown.bins[0].waiting_s == 0);
}

TEST_CASE("neighbours that share a bin add up what they waited") {
  TemporaryProfile const files({.ranks = 4100});
  Summary const summary = files.summarise();
  ShownCommunicators communicators(summary, 100);
  Waits waits;
  waits.measured_of_rank.assign(4100, 0.5);
  waits.measured_of_rank[5] = 1;
  BinnedTimes const times = add_up_rank_times(Profile(files.path()), {}, summary, communicators, waits);
  REQUIRE(times.ranks_per_bin == 4);
  CHECK(times.bins[1].waiting_s == 0.5 + 1 + 0.5 + 0.5);
  CHECK(times.bins[1].outside_s == 4 * 8);
}

TEST_CASE("times of ranks take the names of call sites from the summary") {
  TemporaryProfile const files(
      {.operations = {"main,W,2,0,Send,8,15,1,8,0,1,1,1,app+0x1", "main,W,2,0,Send,8,15,1,8,0,2,2,2,app+0x2"},
       .sites = {{"app+0x1,app,0x1,setup,/src/grid.c,88", "app+0x2,app,0x2,,,"}}});
  Selection const selection{.sites = {"grid.c:88"}};
  Summary const summary = files.summarise(selection, Detail::operations_and_sizes);
  ShownCommunicators communicators(summary, 100);
  // Data that has been read is not read again: the names are no longer in the file.
  files.replace("sites.csv", "setup,/src/grid.c,88", ",,");
  BinnedTimes const times = add_up_rank_times(Profile(files.path()), selection, summary, communicators);
  REQUIRE(times.by_operation.size() == 1);
  CHECK(times.by_operation[0].time_s == 1);
}
