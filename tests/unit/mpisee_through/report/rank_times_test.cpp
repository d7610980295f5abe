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

using Seconds = std::map<std::pair<std::uint64_t, std::string>, double>;

Seconds by_operation(Times const& times) {
  Seconds seconds;
  for (auto const& part : times.ranks.by_operation)
    seconds[{part.bin, times.summary.operation_names[part.of]}] = part.time_s;
  return seconds;
}
Seconds by_communicator(Times const& times) {
  Seconds seconds;
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
  CHECK(by_operation(times) == Seconds{{{0, "Send"}, 7}, {{1, "Recv"}, 8}});
  CHECK(by_communicator(times) == Seconds{{{0, "W"}, 1}, {{0, "W_d1"}, 6}, {{1, "W"}, 8}});

  REQUIRE(times.ranks.bins.size() == 2);
  CHECK(times.ranks.hosts == std::vector<std::string>{"host", "other"});
  CHECK(times.ranks.bins[1].wall_s == 20);
  CHECK(times.ranks.bins[1].mpi_s == 5);
  CHECK(times.ranks.bins[1].host == 1);
}

TEST_CASE("of many ranks, neighbours share a bin") {
  // Of 4,100 ranks, 2 to a bin would make more than 2,048 bins: 4 to a bin.
  TemporaryProfile const files(
      {.ranks = 4100,
       .operations = {"main,W,4100,0,Send,8,15,1,8,0,1,1,1", "main,W,4100,3,Send,8,15,1,8,0,2,2,2",
                      "main,W,4100,4,Send,8,15,1,8,0,4,4,4"}});
  files.replace("ranks.csv", "\n6,host,1,0,1,10,2\n", "\n6,other,1,0,1,10,9\n");
  files.replace("ranks.csv", "\n5,host,1,0,1,10,2\n", "\n5,host,1,0,1,10,1\n");
  Times const times = times_of(files);
  CHECK(times.ranks.ranks_per_bin == 4);
  CHECK(times.ranks.bins.size() == 1025);
  CHECK(by_operation(times) == Seconds{{{0, "Send"}, 3}, {{1, "Send"}, 4}});
  CHECK(by_communicator(times) == Seconds{{{0, "W"}, 3}, {{1, "W"}, 4}});

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
