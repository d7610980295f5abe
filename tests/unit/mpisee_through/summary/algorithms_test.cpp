#include "summary/algorithms.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

using mpisee_through::SentMessages;

namespace {

// With all ranks on one host.
std::string algorithm_of(std::string const& operation, std::uint32_t ranks, std::uint64_t calls,
                         std::vector<SentMessages> const& sent) {
  return mpisee_through::algorithm_of(operation, std::vector<std::uint32_t>(ranks), calls, sent);
}

// FROM>TO:MESSAGES of one call, for several calls.
std::vector<SentMessages> messages_in(std::string const& text, std::uint64_t calls) {
  std::vector<SentMessages> all;
  std::istringstream words(text);
  SentMessages one{};
  for (char between = 0; words >> one.from >> between >> one.to >> between >> one.messages;) {
    one.messages *= calls;
    all.push_back(one);
  }
  return all;
}

}  // namespace

TEST_CASE("doubling of all data passes on what a missing partner would have") {
  // Worked out by hand, step by step. In the last one, rank 4 is the only partner: 0 passes its part on to 1, 2, and 3.
  std::pair<std::uint32_t, char const*> const cases[]{
      {5, "0>1:2 0>2:2 0>4:1 1>0:1 1>3:1 2>0:1 2>3:2 3>1:1 3>2:1 4>0:1"},
      {6, "0>1:1 0>2:2 0>4:1 1>0:1 1>3:2 1>5:1 2>0:1 2>3:1 3>1:1 3>2:1 4>0:1 4>5:1 5>1:1 5>4:1"},
      {7,
       "0>1:1 0>2:1 0>4:1 1>0:1 1>3:2 1>5:1 2>0:1 2>3:1 2>6:1 3>1:1 3>2:1 4>0:1 4>5:2 4>6:1 5>1:1 5>4:1 6>2:1 6>4:1"}};
  for (auto const& [ranks, messages] : cases) {
    CHECK(algorithm_of("Allgather", ranks, 2, messages_in(messages, 2)) == "recursive doubling");
    CHECK(algorithm_of("Reduce_scatter", ranks, 2, messages_in(messages, 2)) == "recursive doubling");
  }
}

TEST_CASE("one pattern has the names that an operation can have") {
  std::string const cube =
      "0>1:1 0>2:1 0>4:1 1>0:1 1>3:1 1>5:1 2>0:1 2>3:1 2>6:1 3>1:1 3>2:1 3>7:1 4>0:1 4>5:1 4>6:1 "
      "5>1:1 5>4:1 5>7:1 6>2:1 6>4:1 6>7:1 7>3:1 7>5:1 7>6:1";
  auto const name = [&](char const* operation) { return algorithm_of(operation, 8, 2, messages_in(cube, 2)); };
  for (char const* operation : {"Barrier", "Allreduce", "Iallreduce", "Allgatherv", "Scan"})
    CHECK(name(operation) == "recursive doubling");
  CHECK(name("Reduce_scatter_block") == "recursive halving or recursive doubling");
  for (char const* operation : {"Bcast", "Alltoall", "Neighbor_alltoall"}) CHECK(name(operation) == "unknown");
  // A reduction of six ranks by halving, whose even ranks of the first four get their part at the end.
  CHECK(algorithm_of("Reduce_scatter", 6, 2,
                     messages_in("0>1:1 1>0:1 1>3:1 1>4:1 2>3:1 3>1:1 3>2:1 3>5:1 4>1:1 4>5:1 5>3:1 5>4:1", 2)) ==
        "recursive halving");
  // Recursive halving that begins with neighbours: 3 and 4 exchange what they have for each other, 1 and 4 serve 0
  // and 2.
  CHECK(algorithm_of("Reduce_scatter", 6, 2,
                     messages_in("0>1:1 1>0:1 1>3:1 1>4:1 2>3:1 3>1:1 3>4:1 3>5:1 4>1:1 4>2:1 4>3:1 4>5:1 5>3:1 5>4:1",
                                 2)) == "butterfly");
  // The last exchange of eight ranks is between numbers that are each other's with the bits in reverse order: 1 and 4,
  // 3 and 6.
  CHECK(algorithm_of("Reduce_scatter", 8, 2,
                     messages_in("0>1:1 0>2:1 0>4:1 1>0:1 1>3:1 1>4:1 1>5:1 2>0:1 2>3:1 2>6:1 3>1:1 3>2:1 3>6:1 3>7:1 "
                                 "4>0:1 4>1:1 4>5:1 4>6:1 5>1:1 5>4:1 5>7:1 6>2:1 6>3:1 6>4:1 6>7:1 7>3:1 7>5:1 7>6:1",
                                 2)) == "butterfly");
}

TEST_CASE("trees that Open MPI 4.1.4 makes if it is told to") {
  std::string const both_ways = "0>1:1 0>2:1 1>0:1 1>3:1 1>5:1 2>0:1 2>4:1 3>1:1 4>2:1 5>1:1";
  CHECK(algorithm_of("Allreduce", 6, 3, messages_in(both_ways, 3)) == "binary tree");
}

TEST_CASE("messages of no algorithm") {
  CHECK(algorithm_of("Bcast", 4, 5, {}) == "unknown");
  CHECK(algorithm_of("Bcast", 4, 0, messages_in("0>1:1 1>2:1 2>3:1", 5)) == "unknown");
  // Four calls went along the chain, one was flat.
  CHECK(algorithm_of("Bcast", 4, 5, {{0, 1, 5}, {0, 2, 1}, {0, 3, 1}, {1, 2, 4}, {2, 3, 4}}) == "unknown");
  CHECK(algorithm_of("Bcast", 2000, 1, {{0, 1, 1}}) == "unknown");
}

TEST_CASE("one algorithm within hosts, and one between them") {
  struct OnHosts {
    char const* operation;
    std::vector<std::uint32_t> host_of_rank;
    char const* messages;
    char const* name;
  };
  std::vector<std::uint32_t> const two_hosts{0, 0, 0, 0, 1, 1, 1, 1}, four_hosts{0, 0, 1, 1, 2, 2, 3, 3};
  // As MPICH 4.0.2 sends them.
  std::vector<OnHosts> const cases{
      {"Allreduce", two_hosts, "0>1:1 0>2:1 0>4:2 1>0:1 2>0:1 2>3:1 3>2:1 4>0:2 4>5:1 4>6:1 5>4:1 6>4:1 6>7:1 7>6:1",
       "binomial tree within hosts, exchange between them"},
      {"Allreduce", four_hosts,
       "0>1:1 0>2:2 0>4:2 1>0:1 2>0:2 2>3:1 2>6:2 3>2:1 4>0:2 4>5:1 4>6:2 5>4:1 6>2:2 6>4:2 6>7:1 7>6:1",
       "exchange within hosts, halving and doubling between them"},
      {"Barrier", two_hosts,
       "0>1:2 0>2:2 0>4:1 1>2:1 1>3:1 2>0:1 2>3:2 3>0:1 3>1:1 4>0:1 4>5:2 4>6:2 5>6:1 5>7:1 6>4:1 6>7:2 7>4:1 7>5:1",
       "dissemination and tree within hosts, exchange between them"},
      {"Barrier",
       {0, 0, 0, 1, 1, 1},
       "0>1:2 0>2:2 0>3:1 1>0:1 1>2:1 2>0:1 2>1:1 3>0:1 3>4:2 3>5:2 4>3:1 4>5:1 5>3:1 5>4:1",
       "dissemination and tree within hosts, exchange between them"},
      {"Barrier", {0, 0, 1, 1}, "0>1:2 0>2:1 1>0:1 2>0:1 2>3:2 3>2:1", "exchange within hosts, exchange between them"},
      {"Bcast",
       {0, 0, 0, 0, 0, 1, 1, 1, 1, 1},
       "0>1:1 0>2:1 0>4:1 0>5:1 2>3:1 5>6:1 5>7:1 5>9:1 7>8:1",
       "binomial tree within hosts, one message between them"},
      // Ranks are dealt to the hosts in turn; a host has one rank.
      {"Reduce",
       {0, 1, 0, 2, 1, 0, 0},
       "1>0:1 2>0:1 3>0:1 4>1:1 5>0:1 6>5:1",
       "binomial tree within hosts, flat or binomial tree or binary tree between them"},
  };
  for (auto const& [operation, host_of_rank, messages, name] : cases) {
    INFO(operation << " on " << host_of_rank.size() << " ranks");
    CHECK(mpisee_through::algorithm_of(operation, host_of_rank, 3, messages_in(messages, 3)) == name);
    CHECK(algorithm_of(operation, static_cast<std::uint32_t>(host_of_rank.size()), 3, messages_in(messages, 3)) ==
          "unknown");
  }
  // A message between others than the first ranks of hosts.
  CHECK(mpisee_through::algorithm_of("Bcast", {0, 0, 0, 1, 1, 1}, 1, messages_in("0>1:1 0>2:1 0>3:1 2>5:1 3>4:1", 1)) ==
        "unknown");
}
