// Findings about ranks that wait for processors.
#include "findings/processors.hpp"

#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "findings/findings.hpp"
#include "findings/first_screen.hpp"
#include "support/run_tool.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

// For each rank: seconds in Allreduce on W, processor time, and waiting for a processor ("" if unknown); each runs 10
// s.
struct RankOfTest {
  double mpi_s;
  double cpu_s;
  std::string queued_s;
};

class ProfileOfTest : public TemporaryProfile {
 public:
  explicit ProfileOfTest(std::vector<RankOfTest> const& ranks, std::string const& cpus)
      : TemporaryProfile(content(ranks)) {
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      replace("ranks.csv", fmt::format("{},host,1,0,1,10,2,", rank),
              fmt::format("{},host,1,{},1,10,{},", rank, cpus, ranks[rank].mpi_s));
    }
  }

 private:
  static Content content(std::vector<RankOfTest> const& ranks) {
    Content content{.ranks = static_cast<std::uint32_t>(ranks.size())};
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
      content.operations.push_back(
          fmt::format("main,W,{},{},Allreduce,8,15,10,80,0,{},0.0001,1", ranks.size(), rank, ranks[rank].mpi_s));
      content.processor_use.push_back(fmt::format("{},{},7,8,9,0", ranks[rank].cpu_s, ranks[rank].queued_s));
    }
    return content;
  }
};

std::vector<Finding> told_of(TemporaryProfile const& files) {
  return read_first_page(Profile(files.path()), {}).findings;
}

}  // namespace

TEST_CASE("ranks that wait for processors are the first finding, and the only one from times") {
  ProfileOfTest const crowded({{8, 5, "4.9"}, {8, 5, "5.1"}, {8, 5, "5"}, {8, 5, "5"}}, "0-1");
  auto const found = told_of(crowded);
  REQUIRE(found.size() == 1);
  REQUIRE(found[0].consequences.size() == 1);
  CHECK(found[0].consequences[0].only_may_follow);
  CHECK(short_fact(found[0].consequences[0]) == "Allreduce on W (4 ranks) takes 100.0 % of the MPI time.");
  CHECK(found[0].rule == "processors");
  CHECK(found[0].fact ==
        "Ranks waited for a processor during 50.0 % of the time and got 50.0 % of one: 4 ranks share 2 processors of "
        "host host. The time in MPI, 80.0 % of the wall time, may come from this.");
  CHECK(found[0].advice == "start at most 2 ranks there, or take more hosts.");
  CHECK(found[0].weight == Approx(0.5));

  ProfileOfTest const quiet({{8, 10, "0.1"}, {8, 10, "0.1"}, {8, 10, "0"}, {8, 10, "0.4"}}, "0-3");
  REQUIRE(told_of(quiet).size() == 1);
  CHECK(told_of(quiet)[0].rule == "dominant-operation");
}

TEST_CASE("the verdict has the share of time that the finding about processors tells") {
  // Rank 0 computes for 5 s, rank 1 for 2 s. They wait for 9 of 20 s.
  ProfileOfTest const profile({{5, 5, "5"}, {8, 6, "4"}}, "0-1");
  FirstScreen const screen = read_first_page(Profile(profile.path()), {});
  REQUIRE(!screen.findings.empty());
  CHECK(screen.findings[0].fact.starts_with("Ranks waited for a processor during 45.0 % of the time and got 55.0 %"));
  CHECK(screen.findings[0].weight == Approx(0.45));
  CHECK(highlights(screen).front().text ==
        "bound by waiting for processors: 45.0 % of the wall time; all of MPI takes 65.0 %.");
}

TEST_CASE("ranks with several threads get several processors") {
  auto const found = told_of(ProfileOfTest({{2, 38, "3"}, {2, 38, "3"}}, "0-7"));
  CHECK(
      found.at(0).fact.starts_with("Ranks waited for a processor during 30.0 % of the time and got 3.80 each: other"));
}

TEST_CASE("what may follow from busy processors has a line below them on the first page") {
  ProfileOfTest const crowded({{8, 5, "4.9"}, {8, 5, "5.1"}}, "0");
  std::string const path = crowded.path().string();
  CHECK(contains(run_tool(path).out,
                 "\n   May follow from this: Allreduce on W (2 ranks) takes 100.0 % of the MPI time.\n"));
  CHECK(contains(run_tool("--csv " + path).out, "\nfinding,dominant-operation,may_follow_from,processors\n"));
  CHECK(contains(run_tool("--json " + path).out, R"("explained_by":null,"may_follow_from":"processors")"));
}

TEST_CASE("others use the processors if there are enough for the ranks") {
  auto const found = told_of(ProfileOfTest({{2, 6, "3.5"}, {2, 6, "3.5"}}, "0-1"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].fact ==
        "Ranks waited for a processor during 35.0 % of the time and got 60.0 % of one: other processes or threads use "
        "the processors, too. The time in MPI, 20.0 % of the wall time, may come from this.");
}

TEST_CASE("ranks that share processors and get few of them are not alone") {
  Finding const found = told_of(ProfileOfTest({{2, 1, "8"}, {2, 1, "8"}, {2, 1, "8"}, {2, 1.5, "8"}}, "0-1")).at(0);
  CHECK(found.fact.find(": 4 ranks share 2 processors of host host, and together got 0.45 of these: others use them, "
                        "too, or a limit holds. The time") != std::string::npos);
  CHECK(found.advice == "look for other jobs, and for limits of processor time; then start at most 2 ranks there.");
}

TEST_CASE("ranks that are bound to the same processor are told from a host with too many ranks") {
  ProfileOfTest const files({{2, 5, "5"}, {2, 5, "5"}, {2, 10, "0"}}, "0");
  files.replace("ranks.csv", "2,host,1,0,", "2,host,1,\"1-2,8\",");
  Finding const found = told_of(files).at(0);
  CHECK(found.fact.find(": 2 ranks share 1 processor of host host.") != std::string::npos);
  CHECK(found.advice == "bind each rank to processors of its own: mpirun --bind-to core, srun --cpu-bind=cores.");
}

TEST_CASE("waiting for a processor within MPI, for a rank that has one, says nothing") {
  // Three ranks spin in Allreduce on the processors, while the last one computes, and gets its processor.
  auto const found = told_of(ProfileOfTest({{9, 5, "5"}, {9, 5, "5"}, {9, 5, "5"}, {1, 10, "0.1"}}, "0-1"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "uneven-work");
}

TEST_CASE("what takes more than twice as long as ranks wait for processors is told, and first") {
  auto const found = told_of(ProfileOfTest({{7, 8, "2"}, {7, 8, "2"}}, "0"));
  REQUIRE(found.size() == 2);
  CHECK(found[0].rule == "dominant-operation");
  CHECK(found[0].weight == Approx(0.7));
  CHECK(found[1].rule == "processors");
  auto const explained = told_of(ProfileOfTest({{7, 6, "3.5"}, {7, 6, "3.5"}}, "0"));
  REQUIRE(explained.size() == 1);
  CHECK(explained[0].rule == "processors");
}

TEST_CASE("work that looks uneven because of a busy processor is not told as uneven") {
  auto const found = told_of(ProfileOfTest({{5, 10, "0"}, {5, 10, "0"}, {5, 10, "0"}, {1, 5, "4.5"}}, "0-7"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "processors");
  CHECK(found[0].fact.find("Rank 3 waited for a processor during 45.0 % of the time and got 50.0 % of one: other") ==
        0);
}

TEST_CASE("without the system's word, ranks that outnumber processors and get little of them wait for them") {
  ProfileOfTest const crowded({{2, 5, ""}, {2, 5, ""}}, "0");
  Summary const summary = crowded.summarise();
  CHECK(ProcessorWaits(summary).of(0) == Approx(0.5));
  CHECK(told_of(crowded).at(0).rule == "processors");
  // With processors enough, they may have waited for a disk.
  Summary const with_enough = ProfileOfTest({{2, 5, ""}, {2, 5, ""}}, "0-1").summarise();
  CHECK(ProcessorWaits(with_enough).of(0) == 0);
  Summary const of_old_profile = TemporaryProfile().summarise();
  CHECK(ProcessorWaits(of_old_profile).of(0) == 0);
}

TEST_CASE("a field with more processors than any host has is as one that is empty") {
  ProfileOfTest const damaged({{8, 5, "5"}, {8, 5, "5"}}, "0-2147483647");
  for (Finding const& finding : told_of(damaged)) CHECK(finding.fact.find("share") == std::string::npos);
}
