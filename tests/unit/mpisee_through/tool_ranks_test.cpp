// --ranks of the built mpisee-through: which ranks are slow, and which wait.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "support/run_tool.hpp"
#include "support/temporary_profile.hpp"

namespace {

std::string ranks_shown(TemporaryProfile const& files, std::string const& options) {
  ToolRun const run = run_tool("--ranks " + options + " '" + files.path().string() + "'");
  CHECK(run.err.empty());
  CHECK(run.exit_code == 0);
  return run.out;
}

// Four ranks of 10 s. In Allreduce, rank 2 has 1 s, the others 6 to 8 s; rank 3 has all of the 0.5 s in Recv, and rank
// 0 all of the 0.25 s in Send.
TemporaryProfile::Content uneven() {
  return {
      .ranks = 4,
      .communicators = {"W_s1.0,W,Comm_split,2,0-1,,,,0", "W_s1.2,W,Comm_split,2,2-3,,,,0"},
      .operations = {"main,W,4,0,Allreduce,8,15,10,80,0,8,0.1,1", "main,W,4,0,Send,8,15,10,80,0,0.25,0.01,1",
                     "main,W_s1.0,2,0,Barrier,0,0,1,0,0,0.25,0.25,0.25", "main,W,4,1,Allreduce,8,15,10,80,0,7,0.1,1",
                     "main,W_s1.0,2,1,Barrier,0,0,1,0,0,0.125,0.125,0.125", "main,W,4,2,Allreduce,8,15,10,80,0,1,0.1,1",
                     "main,W_s1.2,2,2,Barrier,0,0,1,0,0,0.5,0.5,0.5", "main,W,4,3,Allreduce,8,15,10,80,0,6,0.1,1",
                     "main,W,4,3,Recv,8,15,10,0,80,0.5,0.01,1", "main,W,4,1,Bcast,8,15,10,0,80,0,0,0",
                     "main,W_s1.2,2,3,Barrier,0,0,1,0,0,0.25,0.25,0.25"}};
}

}  // namespace

TEST_CASE("the slow rank stands first and is called so") {
  TemporaryProfile::Content content = uneven();
  content.operations.erase(content.operations.begin() + 9);  // rows must be sorted by rank
  TemporaryProfile const files(content);
  for (auto const& [rank, mpi_s] : {std::pair{0, 8.5}, {1, 7.125}, {2, 1.5}, {3, 6.75}})
    files.replace("ranks.csv", fmt::format("{},host,1,0,1,10,2\n", rank),
                  fmt::format("{},host,1,0,1,10,{}\n", rank, mpi_s));
  // Outside MPI: 1.5, 2.875, 8.5 and 3.25 s, 4.03 s on average. Bars: 20 characters are 10 s.
  std::string const out = ranks_shown(files, "");
  CHECK(
      contains(out, "\nSlow       rank 2: 8.500 s outside MPI, the mean of all is 4.031 s; the others wait for it\n"));
  CHECK(contains(out,
                 "\nBars       # outside MPI, = in MPI\n\n"
                 "Rank  Host  Wall time  Outside MPI  MPI time  In MPI  Volume  Calls  Of the longest\n"
                 "   2  host    10.00 s      8.500 s   1.500 s  15.0 %    80 B     11  #################===\n"
                 "   3  host    10.00 s      3.250 s   6.750 s  67.5 %   160 B     21  #######=============\n"
                 "   1  host    10.00 s      2.875 s   7.125 s  71.2 %    80 B     11  ######==============\n"
                 "   0  host    10.00 s      1.500 s   8.500 s  85.0 %   160 B     21  ###=================\n"));
  CHECK(contains(ranks_shown(files, "--top 1"), "===\n\nNot shown, beyond --top: 3 ranks.\n"));
  std::string const csv = ranks_shown(files, "--csv --top 1");
  CHECK(csv ==
        "rank,host,wall_s,mpi_s,mpi_share,calls,bytes_sent,bytes_received,time_s,outside_mpi_s,wait_s,cpu_s,queued_s,"
        "threads,max_rss_bytes,move_s\n"
        "2,host,10,1.5,0.15,11,80,0,1.5,8.5,,,,1,,\n");
  CHECK(contains(ranks_shown(files, "--json --top 1"),
                 "\"time_s\":1.5,\"outside_mpi_s\":8.5,\"wait_s\":null,\"cpu_s\":null,\"queued_s\":null,\"threads\":1,"
                 "\"max_rss_bytes\":null,\"move_s\":null}"));

  SECTION("in selected calls, the words are those of the calls") {
    CHECK(contains(ranks_shown(files, "--op Allreduce"),
                   "\nTime       rank 0 waits longest: 8.000 s; rank 2 comes last: 1.000 s\n"));
    // The last rank is unknown for several communicators, and for a part of the ranks.
    CHECK(contains(ranks_shown(files, "--op Barrier"), "\nTime       rank 2 waits longest: 500.0 ms\n"));
    CHECK(contains(ranks_shown(files, "--op Barrier --comm W_s1.0"),
                   "\nTime       rank 0 waits longest: 250.0 ms; rank 1 comes last: 125.0 ms\n"));
    CHECK(contains(ranks_shown(files, "--op Allreduce --rank 1-2"), "\nTime       rank 1 waits longest: 7.000 s\n"));
    CHECK(contains(ranks_shown(files, "--op Allreduce --op Send"), "\nTime       rank 0 spends most time: 8.250 s\n"));
    // Ranks that hardly differ: 8 and 7 s.
    CHECK_FALSE(contains(ranks_shown(files, "--op Allreduce --rank 0-1"), "\nTime "));
    CHECK_FALSE(contains(ranks_shown(files, "--op Allreduce"), "\nSlow "));
  }
}

TEST_CASE("ranks that waited for processors show it") {
  TemporaryProfile const files({.processor_use = {"5,4.5,1,2,3,4", "9,,1,2,3,4"}});
  std::string const out = ranks_shown(files, "");
  CHECK(contains(out, "\nQueued     of the wall time, ready to run, without a processor\n"));
  CHECK(contains(out, "In MPI  Queued  Volume"));
  CHECK(contains(out, "20.0 %  45.0 %  "));
  CHECK(contains(out, "20.0 %       -  "));
  CHECK(contains(ranks_shown(files, "--csv"), ",8,,5,4.5,1,,\n"));
  CHECK(
      contains(ranks_shown(files, "--json"), "\"cpu_s\":9.0,\"queued_s\":null,\"threads\":1,\"max_rss_bytes\":null,"));
}

TEST_CASE("slow ranks are counted") {
  TemporaryProfile const files({.ranks = 6});
  for (int rank = 0; rank < 4; ++rank)
    files.replace("ranks.csv", fmt::format("{},host,1,0,1,10,2\n", rank), fmt::format("{},host,1,0,1,10,9\n", rank));
  // Outside MPI, ranks 4 and 5 have 8 s, the others 1 s.
  CHECK(contains(ranks_shown(files, ""),
                 "\nSlow       rank 4 and 1 more: 8.000 s outside MPI, the mean of all is 3.333 s; "
                 "the others wait for them\n"));
}

TEST_CASE("of even work, no rank is called slow") {
  TemporaryProfile const files({.ranks = 2});
  CHECK(contains(ranks_shown(files, ""), "\nSlow       no rank by much: "));
  CHECK_FALSE(contains(ranks_shown(TemporaryProfile({.ranks = 1}), ""), "\nSlow "));
}

TEST_CASE("senders and receivers are called what they are") {
  TemporaryProfile const files(
      {.ranks = 2,
       .operations = {"main,W,2,0,Send,8,15,1,8,0,3,3,3", "main,W,2,0,Waitall,0,0,1,0,0,1,1,1",
                      "main,W,2,1,Send,8,15,1,8,0,1,1,1", "main,W,2,1,Waitall,0,0,1,0,0,2,2,2"}});
  CHECK(contains(ranks_shown(files, "--kind p2p"), "\nTime       rank 0 takes longest to send: 3.000 s\n"));
  CHECK(contains(ranks_shown(files, "--op Waitall"), "\nTime       rank 1 waits longest for messages: 2.000 s\n"));
}

TEST_CASE("waiting is drawn apart where it is measured") {
  TemporaryProfile const files(
      {.ranks = 2,
       .operations = {"main,W,2,0,Barrier,0,0,10,0,0,4,0.1,1", "main,W,2,1,Barrier,0,0,10,0,0,4,0.1,1"},
       .waits = {{"W,Barrier,2,20,10,entries,8,4,0.1,2,2,1,0.9,0.2"}},
       .waits_by_rank = {{"W,Barrier,0,10,4,3,1", "W,Barrier,1,10,3,1,9"}}});
  files.replace("ranks.csv", "0,host,1,0,1,10,2", "0,host,1,0,1,10,4");
  files.replace("ranks.csv", "1,host,1,0,1,10,2", "1,host,1,0,1,5,4");
  // 20 characters are 10 s: rank 0 has 6 s outside MPI, 3 s of waiting and 1 s more in that call, rank 1 1 s, 1 s and
  // 2 s, and 1 s in others.
  CHECK(contains(
      ranks_shown(files, ""),
      "\nBars       # outside MPI, : waiting for others in collectives, - moving data, = other MPI time\n\n"
      "Rank  Host  Wall time  Outside MPI  MPI time  In MPI  Waiting   Moving  Volume  Calls  Of the longest\n"
      "   0  host    10.00 s      6.000 s   4.000 s  40.0 %  3.000 s  1.000 s     0 B     10  ############::::::--\n"
      "   1  host    5.000 s      1.000 s   4.000 s  80.0 %  1.000 s  2.000 s     0 B     10  ##::----==\n"));
  CHECK(contains(ranks_shown(files, "--csv"), "\n0,host,10,4,0.4,10,0,0,4,6,3,,,1,,1\n"));
}
