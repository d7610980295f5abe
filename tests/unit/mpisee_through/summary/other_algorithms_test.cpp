#include "summary/other_algorithms.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "summary/summarise.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

constexpr char const* open_mpi = "Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4, repo rev: v4.1.4";
constexpr char const* mpich = "MPICH Version: 4.0.2";

// Rows of calls on W, with the messages that four ranks send for each other's calls along a chain, or to all.
TemporaryProfile::Content of_four_ranks() {
  TemporaryProfile::Content content{.ranks = 4, .operations = {}, .peers = std::vector<std::string>{}};
  for (int rank = 0; rank < 4; ++rank) {
    std::string const on = "main,W,4," + std::to_string(rank);
    content.operations.push_back(on + ",Barrier,0,0,2,0,0,3,1,2");
    content.operations.push_back(on + ",Bcast,8,15,2,16,0,1,0.5,0.5");
    content.operations.push_back(on + ",Scatter,8,15,2,16,0,2,1,1");
    for (int other = 0; other < 4; ++other) {
      std::string const pair = "main,W,internal," + std::to_string(rank) + "," + std::to_string(other) + ",8,15,2,16,";
      if (other == rank + 1) content.peers->push_back(pair + "Bcast,8,15");
      if (rank == 0 && other > 0) content.peers->push_back(pair + "Scatter,8,15");
      if (rank == 3 && other == 1) content.peers->push_back(pair + "Barrier,0,0");
    }
  }
  return content;
}

}  // namespace

TEST_CASE("each MPI has its variables and values") {
  auto const ours = other_algorithms(open_mpi, "Reduce_scatter", "ring", 8);
  REQUIRE(ours.has_value());
  CHECK(ours->environment == "OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_reduce_scatter_algorithm=");
  CHECK(ours->choices == std::vector<OtherAlgorithm>{{"2", "recursive halving"}, {"4", "butterfly"}});
  auto const theirs = other_algorithms(mpich, "Allreduce", "recursive doubling", 8);
  REQUIRE(theirs.has_value());
  CHECK(theirs->environment == "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=");
  CHECK(theirs->choices == std::vector<OtherAlgorithm>{{"reduce_scatter_allgather", "halving and doubling"}});
  // It may be either, so both remain.
  CHECK(other_algorithms(mpich, "Alltoall", "pairwise or linear", 8)->choices.size() == 3);
}

TEST_CASE("a setting for algorithms within hosts and between them") {
  auto const choices = [](char const* library, char const* operation, char const* now) {
    auto const others = other_algorithms(library, operation, now, 8);
    return others ? others->choices.size() : 0;
  };
  // MPICH's Bcast uses it in both, so it would change the one within hosts.
  CHECK(choices(mpich, "Bcast", "binomial tree within hosts, scatter and ring between them") == 3);
  CHECK(choices(mpich, "Bcast", "scatter and ring within hosts, scatter and ring between them") == 2);
  CHECK(choices(mpich, "Allreduce", "binomial tree within hosts, recursive doubling between them") == 1);
  // Open MPI's component tuned is not in charge then.
  CHECK(choices(open_mpi, "Bcast", "binomial tree within hosts, one message between them") == 0);
}

TEST_CASE("what sends the same messages as another is no choice") {
  auto const has_butterfly = [](std::uint64_t ranks) {
    auto const others = other_algorithms(open_mpi, "Reduce_scatter_block", "recursive doubling", ranks);
    return std::ranges::count(others->choices, "butterfly", &OtherAlgorithm::algorithm) == 1;
  };
  CHECK_FALSE(has_butterfly(8));
  CHECK(has_butterfly(11));
}

TEST_CASE("MPIs and calls whose choice is not known have none") {
  for (char const* library : {"Open MPI v4.0.3", "Open MPI v3.1.6", "MPICH Version: 3.2.1", "MVAPICH Version : 3.0",
                              "Intel(R) MPI Library 2021.11 for Linux* OS", ""})
    CHECK_FALSE(other_algorithms(library, "Allreduce", "ring", 8).has_value());
  for (char const* library : {"Open MPI v4.1.0", "Open MPI v5.0.7", "Open MPI v10.0rc1", "MPICH Version: 3.3"})
    CHECK(other_algorithms(library, "Allreduce", "ring", 8).has_value());
  for (char const* operation : {"Iallreduce", "Allreduce_init", "Neighbor_alltoall"})
    CHECK_FALSE(other_algorithms(open_mpi, operation, "ring", 8).has_value());
  CHECK_FALSE(other_algorithms(mpich, "Barrier", "dissemination", 8).has_value());
}

TEST_CASE("the costliest calls whose algorithm is recognised, and has others") {
  TemporaryProfile const files(of_four_ranks());
  Profile const profile(files.path());
  auto summary = summarise(profile, {}, Detail::message_sizes);
  auto const algorithms = read_algorithms(profile, {}, summary);
  summary.run.mpi_library = open_mpi;
  // Barrier takes longest and is unknown.
  auto const found = algorithm_to_replace(summary, algorithms);
  REQUIRE(found.has_value());
  CHECK(summary.name_of(found->now.operation) == "Scatter");
  CHECK(found->now.algorithm == "flat");
  CHECK(found->others.choices == std::vector<OtherAlgorithm>{{"2", "binomial tree"}});
  summary.run.mpi_library = mpich;
  CHECK(summary.name_of(algorithm_to_replace(summary, algorithms)->now.operation) == "Bcast");
  summary.run.mpi_library = "another";
  CHECK_FALSE(algorithm_to_replace(summary, algorithms).has_value());
}
