#include "summary/algorithms.hpp"

#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <vector>

using mpisee_through::algorithm_of;
using mpisee_through::SentMessages;

namespace {

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

struct ForcedAlgorithm {
  char const* what;
  std::uint32_t ranks;
  char const* messages;
  char const* name;
};

}  // namespace

TEST_CASE("messages of MPICH 4.0.2 and Open MPI 4.1.4 with algorithms that they were told to use") {
  // Recorded with MPIR_CVAR_*_INTRA_ALGORITHM and coll_tuned_*_algorithm, from rank 0 or to it. Some have no name here.
  constexpr ForcedAlgorithm cases[] = {
      {"MPICH, Allreduce, recursive_doubling", 6,
       "0>1:1 1>0:1 1>3:1 1>4:1 2>3:1 3>1:1 3>2:1 3>5:1 4>1:1 4>5:1 5>3:1 5>4:1 ", "recursive doubling"},
      {"MPICH, Allreduce, reduce_scatter_allgather", 6,
       "0>1:1 1>0:1 1>3:2 1>4:2 2>3:1 3>1:2 3>2:1 3>5:2 4>1:2 4>5:2 5>3:2 5>4:2 ", "halving and doubling"},
      {"MPICH, Allreduce, smp", 6, "0>1:1 0>2:1 0>4:1 1>0:1 2>0:1 2>3:1 3>2:1 4>0:1 4>5:1 5>4:1 ", "binomial tree"},
      {"MPICH, Bcast, binomial", 6, "0>1:1 0>2:1 0>4:1 2>3:1 4>5:1 ", "binomial tree"},
      {"MPICH, Bcast, scatter_ring_allgather", 6, "0>1:6 0>2:1 0>4:1 1>2:5 2>3:6 3>4:5 4>5:6 5>0:5 ",
       "scatter and ring"},
      {"MPICH, Reduce, reduce_scatter_gather", 6, "0>2:1 0>4:1 1>0:1 2>0:2 2>5:1 3>2:1 4>0:2 4>5:1 5>2:2 5>4:1 ",
       "halving and gather"},
      {"MPICH, Allgather, brucks", 6,
       "0>2:1 0>4:1 0>5:1 1>0:1 1>3:1 1>5:1 2>0:1 2>1:1 2>4:1 3>1:1 3>2:1 3>5:1 4>0:1 4>2:1 4>3:1 "
       "5>1:1 5>3:1 5>4:1 ",
       "Bruck"},
      {"MPICH, Allgather, ring", 6, "0>1:5 1>2:5 2>3:5 3>4:5 4>5:5 5>0:5 ", "ring"},
      {"MPICH, Alltoall, brucks", 6,
       "0>1:1 0>2:1 0>4:1 1>2:1 1>3:1 1>5:1 2>0:1 2>3:1 2>4:1 3>1:1 3>4:1 3>5:1 4>0:1 4>2:1 4>5:1 "
       "5>0:1 5>1:1 5>3:1 ",
       "Bruck"},
      {"MPICH, Alltoall, pairwise", 6,
       "0>1:1 0>2:1 0>3:1 0>4:1 0>5:1 1>0:1 1>2:1 1>3:1 1>4:1 1>5:1 2>0:1 2>1:1 2>3:1 2>4:1 2>5:1 "
       "3>0:1 3>1:1 3>2:1 3>4:1 3>5:1 4>0:1 4>1:1 4>2:1 4>3:1 4>5:1 5>0:1 5>1:1 5>2:1 5>3:1 5>4:1 ",
       "pairwise"},
      {"MPICH, Bcast, scatter_recursive_doubling_allgather", 8,
       "0>1:2 0>2:2 0>4:2 1>0:1 1>3:1 1>5:1 2>0:1 2>3:2 2>6:1 3>1:1 3>2:1 3>7:1 4>0:1 4>5:2 4>6:2 "
       "5>1:1 5>4:1 5>7:1 6>2:1 6>4:1 6>7:2 7>3:1 7>5:1 7>6:1 ",
       "scatter and recursive doubling"},
      {"MPICH, Allgather, recursive_doubling", 8,
       "0>1:1 0>2:1 0>4:1 1>0:1 1>3:1 1>5:1 2>0:1 2>3:1 2>6:1 3>1:1 3>2:1 3>7:1 4>0:1 4>5:1 4>6:1 "
       "5>1:1 5>4:1 5>7:1 6>2:1 6>4:1 6>7:1 7>3:1 7>5:1 7>6:1 ",
       "recursive doubling"},
      {"Open MPI, Allreduce, 1", 6, "0>1:1 0>2:1 0>3:1 0>4:1 0>5:1 1>0:1 2>0:1 3>0:1 4>0:1 5>0:1 ", "flat"},
      {"Open MPI, Allreduce, 2", 6, "0>1:1 0>2:1 1>0:1 1>3:1 1>5:1 2>0:1 2>4:1 3>1:1 4>2:1 5>1:1 ", "binary tree"},
      {"Open MPI, Allreduce, 4", 6, "0>1:10 1>2:10 2>3:10 3>4:10 4>5:10 5>0:10 ", "ring"},
      {"Open MPI, Bcast, 3", 6, "0>1:1 1>2:1 2>3:1 3>4:1 4>5:1 ", "chain"},
      {"Open MPI, Bcast, 4", 6, "0>1:1 0>2:1 0>5:1 1>2:1 1>3:1 1>5:1 2>1:1 2>4:1 3>4:1 4>3:1 ", "unknown"},
      {"Open MPI, Bcast, 5", 6, "0>1:1 0>2:1 1>3:1 1>5:1 2>4:1 ", "binary tree"},
      {"Open MPI, Bcast, 6", 6, "0>1:1 0>2:1 0>4:1 1>3:1 1>5:1 ", "binomial tree"},
      {"Open MPI, Reduce, 6", 6, "0>2:1 1>2:1 2>5:1 3>4:1 4>5:1 5>0:1 ", "unknown"},
      {"Open MPI, Allgather, 5", 6, "0>1:2 0>5:1 1>0:2 1>2:1 2>1:1 2>3:2 3>2:2 3>4:1 4>3:1 4>5:2 5>0:1 5>4:2 ",
       "neighbour exchange"},
      {"Open MPI, Barrier, 2", 6, "0>1:2 1>2:2 2>3:2 3>4:2 4>5:2 5>0:2 ", "double ring"},
      {"Open MPI, Barrier, 4", 6,
       "0>1:1 0>2:1 0>4:1 1>2:1 1>3:1 1>5:1 2>0:1 2>3:1 2>4:1 3>1:1 3>4:1 3>5:1 4>0:1 4>2:1 4>5:1 "
       "5>0:1 5>1:1 5>3:1 ",
       "Bruck"},
      {"Open MPI, Reduce_scatter, 1", 6, "0>1:1 0>2:1 0>3:1 0>4:1 0>5:1 1>0:1 2>0:1 3>1:1 4>2:1 5>1:1 ", "two trees"},
      {"Open MPI, Allreduce, 6", 8,
       "0>1:2 0>2:2 0>4:2 1>0:2 1>3:2 1>5:2 2>0:2 2>3:2 2>6:2 3>1:2 3>2:2 3>7:2 4>0:2 4>5:2 4>6:2 "
       "5>1:2 5>4:2 5>7:2 6>2:2 6>4:2 6>7:2 7>3:2 7>5:2 7>6:2 ",
       "halving and doubling"},
  };
  for (auto const& [what, ranks, messages, name] : cases) {
    INFO(what);
    CHECK(algorithm_of(ranks, 3, messages_in(messages, 3)) == name);
  }
}

TEST_CASE("roots, segments and few ranks") {
  // A binomial tree of 4 ranks from rank 1.
  CHECK(algorithm_of(4, 5, messages_in("1>2:1 1>3:1 3>0:1", 5)) == "binomial tree");
  // Each message in 7 pieces.
  CHECK(algorithm_of(4, 5, messages_in("0>1:7 1>2:7 2>3:7", 5)) == "chain");
  CHECK(algorithm_of(3, 5, messages_in("0>1:1 0>2:1", 5)) == "flat or binomial tree or binary tree");
  CHECK(algorithm_of(2, 5, messages_in("0>1:1 1>0:1", 5)) == "exchange");
  CHECK(algorithm_of(2, 5, messages_in("1>0:1", 5)) == "one message");
}

TEST_CASE("messages of no algorithm") {
  CHECK(algorithm_of(4, 5, {}) == "unknown");
  CHECK(algorithm_of(4, 0, messages_in("0>1:1 1>2:1 2>3:1", 5)) == "unknown");
  // Four calls went along the chain, one was flat.
  CHECK(algorithm_of(4, 5, {{0, 1, 5}, {0, 2, 1}, {0, 3, 1}, {1, 2, 4}, {2, 3, 4}}) == "unknown");
  CHECK(algorithm_of(2000, 1, {{0, 1, 1}}) == "unknown");
}
