// Findings from measured waiting.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "findings/first_screen.hpp"
#include "support/run_tool.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

// Four ranks of 10 s, with these times in Allreduce on W, which is all of their MPI time, and this row of waits.csv.
struct WaitingRun {
  std::vector<double> times{3, 3, 3, 1};
  std::string operation = "Allreduce";
  std::string waits = "4,40,10,entries,10,8,0.5,1.5,0.5,3,0.9,0.0032";

  [[nodiscard]] std::vector<Finding> findings(Selection const& selection = {}) const {
    TemporaryProfile::Content content{.ranks = 4};
    content.waits.emplace();
    content.waits_by_rank.emplace();
    for (std::size_t rank = 0; rank < times.size(); ++rank)
      content.waits_by_rank->push_back(
          fmt::format("W,{},{},10,{},{},2", operation, rank, times[rank], times[rank] / 2));
    if (!waits.empty()) content.waits->push_back(fmt::format("W,{},{}", operation, waits));
    for (std::size_t rank = 0; rank < times.size(); ++rank)
      content.operations.push_back(fmt::format("main,W,4,{},{},8,15,10,80,0,{},0,1", rank, operation, times[rank]));
    TemporaryProfile const files(content);
    for (std::size_t rank = 0; rank < times.size(); ++rank)
      files.replace("ranks.csv", fmt::format("\n{},host,1,0,1,10,2", rank),
                    fmt::format("\n{},host,1,0,1,10,{}", rank, times[rank]));
    return read_first_page(Profile(files.path()), selection).findings;
  }
};

}  // namespace

TEST_CASE("waiting is found, with who is late, and once") {
  // Useful are 7, 7, 7 and 9 s: 83 % load balance. Waiting is 8 of 10 s, and of 40 s of wall time.
  auto const found = WaitingRun{}.findings();
  REQUIRE(found.size() == 1);  // that Allreduce dominates is explained by it
  CHECK(found[0].rule == "waiting");
  CHECK(found[0].fact ==
        "80.0 ± 5.0 % of Allreduce on W (4 ranks) is waiting for all to come; rank 3 comes last in 90.0 % of the "
        "calls, 3.200 ms after the mean of the others. The waiting takes 20.0 % of the wall time.");
  CHECK(found[0].options == "--waits --by-rank --comm W --op Allreduce");
  CHECK(found[0].weight == Approx(0.2));
  CHECK(found[0].advice.find("rank 3 does before the call") != std::string::npos);
}

namespace {

// Four ranks of 10 s. Ranks 1 to 3 are in Recv for 4 s each, with these rows of waits.csv for it; rank 0 computes for
// `useful_s` of its 10 s.
struct MessageRun {
  std::vector<std::string> waits;
  double useful_s = 8;
  std::string operation = "Recv";

  [[nodiscard]] std::vector<Finding> findings() const {
    TemporaryProfile::Content content{.ranks = 4, .sites = {{"a.out+0x10,a.out,0x10,exchange,halo.c,88"}}};
    content.waits.emplace();
    for (std::string const& row : waits) content.waits->push_back(fmt::format("W,{},{}", operation, row));
    content.waits_by_rank.emplace();
    for (int rank = 1; rank < 4; ++rank)
      content.operations.push_back(
          fmt::format("main,W,4,{},{},8192,16383,10,0,81920,4,0,1,a.out+0x10", rank, operation));
    TemporaryProfile const files(content);
    files.write("ranks.csv",
                fmt::format("rank,host,pid,cpus,threads,wall_s,mpi_s\n0,host,1,0,1,10,{}\n1,host,1,1,1,10,4\n"
                            "2,host,1,2,1,10,4\n3,host,1,3,1,10,4\n",
                            10 - useful_s));
    return read_first_page(Profile(files.path()), {}).findings;
  }
};

}  // namespace

TEST_CASE("late senders are those that were waited for") {
  MessageRun run{{"3,30,120,instants,12,9,0.24,,,2,0.5,,late-sender,a.out+0x10,120,0,0,0.7"}};
  auto const found = run.findings();
  REQUIRE(found.size() == 1);  // that Recv dominates is explained by it
  CHECK(found[0].rule == "late-senders");
  CHECK(found[0].weight == Approx(9.0 / 40));
  // 8 s outside MPI, the others 6 s
  CHECK(found[0].fact ==
        "75.0 ± 2.0 % of Recv on W (4 ranks) at halo.c:88 is waiting for late senders; rank 0 causes 70.0 % of it: it "
        "computes 1.3 times as long as the others. The waiting takes 22.5 % of the wall time.");
  CHECK(found[0].options == "--waits --comm W --op Recv");
  CHECK(found[0].advice ==
        "move work from rank 0 to the others, let it send before other work, and let the receivers work between Irecv "
        "and Wait.");
  run.useful_s = 6.5;
  CHECK(run.findings()[0].fact.find("rank 0 causes 70.0 % of it. The waiting") != std::string::npos);
}

TEST_CASE("a rank that is waited for while it waits itself is not the cause") {
  std::string const cause = GENERATE(",", "2,0.05", "2,0.375", "2,0.374");
  MessageRun const run{{"3,30,120,instants,12,9,0.24,,,2,0.75,,late-sender,a.out+0x10,120,0," + cause}};
  Finding const found = run.findings()[0];
  CHECK(found.rule == "late-senders");
  bool const is_cause = cause == "2,0.375";  // half of 0.75
  CHECK(found.fact.find(is_cause
                            ? "; rank 2 causes 37.5 % of it. The waiting"
                            : "; 75.0 % of it is for rank 2, which may wait itself. The waiting") != std::string::npos);
  CHECK(found.advice == (is_cause ? "send before other work, and let the receivers work between Irecv and Wait."
                                  : "look first for what rank 2 waits meanwhile: --waits has collective calls, too."));
  CHECK(found.late_ranks.empty() == !is_cause);
}

TEST_CASE("of several call sites, that with most of the waiting is named") {
  MessageRun const run{{"3,30,120,instants,6,3,0.3,,,2,0.5,,late-sender,,60,0,0,0.7",
                        "3,30,120,instants,6,5,0.4,,,2,0.5,,late-sender,a.out+0x10,60,0,0,0.8"}};
  // 8 of 12 s; the error is that of a sum; rank 0 causes 0.7 * 3 + 0.8 * 5 = 6.1 of 8 s
  CHECK(run.findings()[0].fact ==
        "66.7 ± 4.2 % of Recv on W (4 ranks) is waiting for late senders, 62.5 % of it at halo.c:88; rank 0 causes "
        "76.2 % of it: it computes 1.3 times as long as the others. The waiting takes 20.0 % of the wall time.");
}

TEST_CASE("late receivers are told to post earlier") {
  MessageRun const run{{"3,30,120,instants,12,9,0.24,,,2,0.5,,late-receiver,a.out+0x10,120,0,0,0.7"}, 6, "Send"};
  auto const found = run.findings();
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "late-receivers");
  CHECK(found[0].fact ==
        "75.0 ± 2.0 % of Send on W (4 ranks) at halo.c:88 is waiting for late receivers; rank 0 causes 70.0 % of it. "
        "The waiting takes 22.5 % of the wall time.");
  CHECK(found[0].advice ==
        "let rank 0 post its receives (Irecv) earlier, before other work; the senders can work between Isend and "
        "Wait.");
}

TEST_CASE("waiting for messages that is little, or not certain, is no finding") {
  auto const rule_with = [](std::string const& row) {
    auto const found = MessageRun{{row}, 6}.findings();
    REQUIRE(found.size() == 1);
    return std::string(found[0].rule);
  };
  CHECK(rule_with("3,30,30,instants,12,5,0.5,,,2,0.5,,late-sender,,30,0,0,0.7") == "late-senders");
  CHECK(rule_with("3,30,29,instants,12,5,0.5,,,2,0.5,,late-sender,,29,0,0,0.7") == "dominant-operation");
  CHECK(rule_with("3,30,30,instants,12,5,0.51,,,2,0.5,,late-sender,,30,0,0,0.7") == "dominant-operation");
  CHECK(rule_with("3,30,120,instants,12,3.9,0,,,2,0.5,,late-sender,,120,0,0,0.7") == "dominant-operation");
}

TEST_CASE("an operation that waits for nobody moves data") {
  MessageRun const run{{"3,30,120,instants,12,1.2,0.24,,,2,0.5,,late-sender,a.out+0x10,120,0,0,0.7"}, 6};
  auto const found = run.findings();
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "dominant-operation");
  // 240 KiB in 12 s
  CHECK(found[0].fact ==
        "Recv on W (4 ranks) at halo.c:88 takes 100.0 % of the MPI time; 8 KiB to <16 KiB a call; 10.0 ± 2.0 % of it "
        "is waiting for late senders; messages come at 20.00 KiB/s meanwhile.");
  CHECK(found[0].advice.find("send less data") == 0);
}

TEST_CASE("a long operation that is mostly waiting is advised to wait less") {
  // 5 s of 40 s, of which 3.5 s are waiting: too little for a finding of its own.
  WaitingRun run{.times = {1.5, 1.5, 1.5, 0.5}, .waits = "4,40,10,entries,5,3.5,0.4,0.8,0.5,3,0.9,0.0032"};
  auto const found = run.findings();
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "dominant-operation");
  CHECK(found[0].advice == "spread the work before the call more evenly over the ranks.");
  CHECK(found[0].options == "--waits --by-rank --comm W --op Allreduce");
  run.waits = "4,40,10,entries,5,3.5,0.6,0.8,0.5,3,0.9,0.0032";  // not certain: 2.3 s
  CHECK(run.findings()[0].advice.starts_with("join several calls into one"));
}

TEST_CASE("where ranks are late in turns, no rank is blamed") {
  WaitingRun run;
  run.waits = "4,40,10,entries,10,8,0.5,1.5,0.5,3,0.6,0.0032";  // nearer to a quarter than to always
  CHECK(run.findings()[0].advice ==
        "no rank is the last one most of the time, so work is uneven in turns or at random, or the system disturbs: "
        "make the call less often, or use Iallreduce with work before its completion.");
  run.waits = "4,40,10,entries,10,8,0.5,1.5,0.5,3,0.625,0.0032";
  CHECK(run.findings()[0].advice.find("rank 3") != std::string::npos);
  run.waits = "4,40,10,entries,10,8,0.5,1.5,0.5,,,";
  CHECK(run.findings()[0].fact ==
        "80.0 ± 5.0 % of Allreduce on W (4 ranks) is waiting for all to come. The waiting takes 20.0 % of the wall "
        "time.");
  CHECK(run.findings()[0].advice == "make the call less often, or use Iallreduce with work before its completion.");
}

TEST_CASE("an upper bound does not prove that ranks wait") {
  WaitingRun run;
  run.waits = "4,40,10,durations,10,8,0.5,,,,,";
  auto const found = run.findings();
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "dominant-operation");
  CHECK(found[0].fact ==
        "Allreduce on W (4 ranks) takes 100.0 % of the MPI time; 8-15 B a call; at most 80.0 ± 5.0 % of it is waiting "
        "for all to come.");
}

TEST_CASE("waiting that is little, or not certain, is no finding") {
  auto const rule_with = [](std::string const& waits) {
    WaitingRun run;
    run.times = {4.5, 4.5, 4.5, 2.5};
    run.waits = waits;
    auto const found = run.findings();
    REQUIRE(found.size() == 1);
    return std::string(found[0].rule);
  };
  CHECK(rule_with("4,40,10,entries,16,4.8,0,10.7,0.5,3,0.9,0.0032") == "waiting");
  CHECK(rule_with("4,40,10,entries,16,4.7,0,10.7,0.5,3,0.9,0.0032") == "dominant-operation");
  CHECK(rule_with("4,40,10,entries,16,8,1.6,1.5,0.5,3,0.9,0.0032") == "waiting");
  CHECK(rule_with("4,40,10,entries,16,8,1.7,1.5,0.5,3,0.9,0.0032") == "dominant-operation");
  // 10 % of the wall time are 4 s.
  WaitingRun small;
  small.times = {1.5, 1.5, 1.5, 1};
  small.waits = "4,40,10,entries,5.5,4,0,1,0.5,3,0.9,0.0032";
  CHECK(small.findings()[0].rule == "waiting");
  small.waits = "4,40,10,entries,5.5,3.9,0,1,0.5,3,0.9,0.0032";
  CHECK(small.findings()[0].rule == "dominant-operation");
}

TEST_CASE("an operation that dominates says how much of it is waiting, and guesses no more") {
  WaitingRun run;
  run.waits = "4,40,10,entries,10,2,0.1,7.5,0.5,3,0.9,0.0032";
  CHECK(run.findings()[0].fact ==
        "Allreduce on W (4 ranks) takes 100.0 % of the MPI time; 8-15 B a call; 20.0 ± 1.0 % of it is waiting for all "
        "to come.");
  run.waits = "";
  CHECK(run.findings()[0].fact ==
        "Allreduce on W (4 ranks) takes 100.0 % of the MPI time; 8-15 B a call; "
        "rank 0 waits longest (3.000 s), rank 3 comes last (1.000 s).");
}

TEST_CASE("uneven work names the waiting that was measured, and it is not named again") {
  // Useful are 3, 3, 3 and 9 s: 50 %.
  WaitingRun run;
  run.times = {7, 7, 7, 1};
  run.waits = "4,40,10,entries,22,18,0.5,3,1,3,0.9,0.0032";
  auto const found = run.findings();
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "uneven-work");
  CHECK(found[0].fact ==
        "Load balance is 50.0 %: outside MPI, rank 3 spends 9.000 s, the others 3.000 s on average. "
        "81.8 ± 2.3 % of Allreduce on W (4 ranks) is waiting for all to come; rank 3 comes last in 90.0 % of the "
        "calls, 3.200 ms after the mean of the others.");
  CHECK(found[0].options == "--waits --by-rank --comm W --op Allreduce");

  // A bound does not tell who comes last; the times in an operation that synchronises all do.
  run.waits = "4,40,10,durations,22,18,0.5,,,,,";
  CHECK(run.findings().at(0).fact ==
        "Load balance is 50.0 %: outside MPI, rank 3 spends 9.000 s, the others 3.000 s on average. In Allreduce on W, "
        "rank 3 spends 1.000 s, the others 7.000 s on average: it arrives last.");

  // Rank 3 is busy, and another one is late: two facts, and no guess that contradicts what was measured.
  run.waits = "4,40,10,entries,22,18,0.5,3,1,1,0.9,0.0032";
  auto const two = run.findings();
  REQUIRE(two.size() == 2);
  CHECK(two[1].rule == "waiting");
  CHECK(two[0].rule == "uneven-work");
  CHECK(two[0].fact == "Load balance is 50.0 %: outside MPI, rank 3 spends 9.000 s, the others 3.000 s on average.");
}

TEST_CASE("uneven work names waiting for messages that is no finding of its own") {
  // Useful are 10, 6, 6 and 6 s: 70 %. Less two standard errors, the waiting takes less than 10 % of the wall time.
  MessageRun run{{"3,30,120,instants,12,5,0.6,,,2,0.5,,late-sender,a.out+0x10,120,0,0,0.7"}, 10};
  auto const found = run.findings();
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "uneven-work");
  CHECK(found[0].fact ==
        "Load balance is 70.0 %: outside MPI, rank 0 spends 10.00 s, the others 6.000 s on average. "
        "41.7 ± 5.0 % of Recv on W (4 ranks) at halo.c:88 is waiting for late senders; rank 0 causes 70.0 % of it.");
  CHECK(found[0].options == "--waits --by-rank --comm W --op Recv");
  // This is a finding of its own, which uneven work explains.
  run.waits = {"3,30,120,instants,12,5,0.4,,,2,0.5,,late-sender,a.out+0x10,120,0,0,0.7"};
  auto const two = run.findings();
  REQUIRE(two.size() == 1);
  CHECK(two[0].fact.find("waiting for") == std::string::npos);
  REQUIRE(two[0].consequences.size() == 1);
  CHECK(two[0].consequences[0].rule == "late-senders");
}

TEST_CASE("operations in which a guess would not do are measured, too") {
  WaitingRun run;
  run.times = {7, 7, 7, 1};
  run.operation = "Scan";
  run.waits = "4,40,10,entries,22,18,0.5,3,1,3,0.9,0.0032";
  CHECK(run.findings()[0].fact.find("of Scan on W (4 ranks) is waiting for all to come") != std::string::npos);
}

TEST_CASE("waiting is not used for regions, which it does not know") {
  for (Finding const& one : WaitingRun{}.findings({.regions = {"main"}})) CHECK(one.rule != "waiting");
}

TEST_CASE("waiting of a few ranks is theirs, and who is late is late for all") {
  WaitingRun run;
  run.waits = "4,40,10,entries,10,8,0.5,1.5,0.5,3,0.65,0.0032";
  auto const found = run.findings({.ranks = RankSet::parse("0-1")});
  REQUIRE(found.size() == 1);
  CHECK(found[0].fact ==
        "50.0 % of Allreduce on W (4 ranks) is waiting for all to come; rank 3 comes last in 65.0 % of the calls, "
        "3.200 ms after the mean of the others. The waiting takes 15.0 % of the wall time.");
  CHECK(found[0].advice.find("rank 3") != std::string::npos);  // more than half of the way from a quarter to always
}

TEST_CASE("a collective on neighbours has the name of its nonblocking form") {
  WaitingRun const run{
      .times = {3, 3, 3, 3}, .operation = "Neighbor_alltoall", .waits = "4,40,10,entries,12,10,0.1,1,1,0,0.5,0.001"};
  CHECK(run.findings().at(0).advice.ends_with("or use Ineighbor_alltoall with work before its completion."));
}

TEST_CASE("the first page says that waiting was dropped after a call that failed on some ranks") {
  TemporaryProfile const files({.more_of_run = ",\n\"waits\": {\"disagreeing\": 12, \"folded\": 3}"});
  CHECK(contains(run_tool(files.path().string()).out,
                 "Dropped    waiting in 12 calls after one that failed on some ranks only\n"));
}
