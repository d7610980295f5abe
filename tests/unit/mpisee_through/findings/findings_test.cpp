// Tests each rule on a profile that triggers it, and on one just below its threshold.
#include "findings/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "findings/first_screen.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;

namespace {

// Ranks with these MPI times, of 10 s each.
void set_mpi_times(TemporaryProfile const& files, std::vector<double> const& mpi_s) {
  for (std::size_t rank = 0; rank < mpi_s.size(); ++rank) {
    files.replace("ranks.csv", fmt::format("{},host,1,0,1,10,2\n", rank),
                  fmt::format("{},host,1,0,1,10,{}\n", rank, mpi_s[rank]));
  }
}

std::vector<Finding> findings_of(TemporaryProfile const& files, Selection const& selection = {}) {
  return read_first_page(Profile(files.path()), selection).findings;
}

// Rows of operations.csv with these times, one for each rank, in one class of sizes.
std::vector<std::string> rows(std::string const& comm, std::string const& op, std::string const& sizes,
                              std::uint64_t calls, std::uint64_t bytes, std::vector<double> const& times) {
  std::vector<std::string> all;
  for (std::size_t rank = 0; rank < times.size(); ++rank) {
    all.push_back(fmt::format("main,{},{},{},{},{},{},{},0,{},0.0001,1", comm, times.size(), rank, op, sizes, calls,
                              bytes, times[rank]));
  }
  return all;
}

}  // namespace

TEST_CASE("every rule has a name and a condition") {
  CHECK(rules().size() == 19);
  for (Rule const& rule : rules()) {
    CHECK_FALSE(rule.name.empty());
    CHECK_FALSE(rule.condition.empty());
  }
}

TEST_CASE("a profile without time in MPI has no findings") {
  TemporaryProfile const files(
      {.ranks = 4, .operations = rows("W", "Allreduce", "8,15", 10, 80, {0.1, 0.1, 0.1, 0.1})});
  CHECK(findings_of(files).empty());
}

TEST_CASE("uneven work is found, with who waits for whom") {
  // Useful are 9, 3, 3 and 3 s: a mean of 4.5 s of 9 s is a load balance of 50 %.
  TemporaryProfile const files({.ranks = 4, .operations = rows("W", "Allreduce", "8,15", 10, 80, {1, 7, 7, 7})});
  set_mpi_times(files, {1, 7, 7, 7});
  auto const found = findings_of(files);
  REQUIRE(found.size() == 1);  // it explains that Allreduce dominates
  CHECK(found[0].rule == "uneven-work");
  CHECK(found[0].fact ==
        "Load balance is 50.0 %: outside MPI, rank 0 spends 9.000 s, the others 3.000 s on average. "
        "In Allreduce on W, rank 0 spends 1.000 s, the others 7.000 s on average: it arrives last.");
  CHECK(found[0].options == "--ranks --comm W --op Allreduce");
  CHECK(found[0].weight == Approx(0.45));  // 9 s less 4.5 s, of 10 s

  // In a scan, the rank with the least time need not be the last one. Uneven work still explains that the scan takes
  // long.
  TemporaryProfile const scan({.ranks = 4, .operations = rows("W", "Scan", "8,15", 10, 80, {1, 7, 7, 7})});
  set_mpi_times(scan, {1, 7, 7, 7});
  auto const of_scan = findings_of(scan);
  REQUIRE(of_scan.size() == 1);
  CHECK(of_scan[0].fact ==
        "Load balance is 50.0 %: outside MPI, rank 0 spends 9.000 s, the others 3.000 s on average.");
  REQUIRE(of_scan[0].consequences.size() == 1);
  CHECK(of_scan[0].consequences[0].rule == "dominant-operation");

  // Reading a file does not wait for ranks.
  TemporaryProfile const file({.ranks = 4, .operations = rows("W", "File_read", "8,15", 10, 80, {1, 7, 7, 7})});
  set_mpi_times(file, {1, 7, 7, 7});
  auto const of_file = findings_of(file);
  REQUIRE(of_file.size() == 2);
  CHECK(of_file[0].rule == "files");
  CHECK(of_file[1].rule == "uneven-work");

  // Useful are 8, 6, 6 and 6 s: 81 %.
  TemporaryProfile const even({.ranks = 4, .operations = rows("W", "Allreduce", "8,15", 10, 80, {0.1, 0.1, 0.1, 0.1})});
  set_mpi_times(even, {2, 4, 4, 4});
  CHECK(findings_of(even).empty());
}

TEST_CASE("an operation that dominates is found, with its usual sizes") {
  std::vector<std::string> operations = rows("W", "Alltoall", "16384,32767", 95, 1600000, {1, 2});
  operations.insert(operations.begin() + 1, "main,W,2,0,Alltoall,8,15,4,32,0,0,0,0");  // too few calls to mention
  TemporaryProfile const files({.operations = operations});
  auto const found = findings_of(files);
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "dominant-operation");
  CHECK(found[0].fact ==
        "Alltoall on W (2 ranks) takes 100.0 % of the MPI time; 16 KiB to <32 KiB a call; "
        "rank 1 waits longest (2.000 s), rank 0 comes last (1.000 s).");
  CHECK(found[0].options == "--sizes --comm W --op Alltoall");
  CHECK(found[0].weight == Approx(0.15));  // 3 s of 20 s

  TemporaryProfile const below({.operations = rows("W", "Alltoall", "16384,32767", 95, 1600000, {0.9, 0.9})});
  CHECK(findings_of(below).empty());  // 9 % of the wall time
}

TEST_CASE("a wait in which much data comes is a transfer") {
  auto const advice = [](std::uint64_t bytes) {
    std::vector<std::string> operations;
    for (int rank = 0; rank < 2; ++rank) {
      operations.push_back(fmt::format("main,W,2,{},Wait,0,0,10,0,0,1.5,0,1", rank));
      operations.push_back(
          fmt::format("main,W,2,{},Irecv,1048576,2097151,1000,0,{},0.5,0,1", rank, bytes));  // in 2 s with the Wait
    }
    auto const found = findings_of(TemporaryProfile({.operations = operations}));
    REQUIRE(found.size() == 1);
    return found[0].fact + " " + found[0].advice;
  };
  std::uint64_t const gib = 1ULL << 30U;
  CHECK(advice(4 * gib) ==
        "Wait on W (2 ranks) takes 75.0 % of the MPI time; messages come at 2.000 GiB/s meanwhile. send less data, or "
        "spread it over more of the run; work before the completion helps only if the MPI moves messages meanwhile.");
  CHECK(advice(4 * gib - 2) ==
        "Wait on W (2 ranks) takes 75.0 % of the MPI time. start receives early and do work before waiting for them; "
        "--ranks shows who waits.");
}

TEST_CASE("communicators that come and go are found") {
  auto const profile = [](int calls) {
    std::vector<std::string> operations;
    for (int rank = 0; rank < 2; ++rank) {
      operations.push_back(fmt::format("main,W,2,{},Comm_dup,0,0,{},0,0,0.5,0,1", rank, calls));
      operations.push_back(fmt::format("main,W_d*,2,{},Barrier,0,0,{},0,0,0.01,0,1", rank, 2 * calls));
      operations.push_back(fmt::format("main,W_d*,2,{},Comm_free,0,0,{},0,0,0.3,0,1", rank, calls));
    }
    return TemporaryProfile::Content{.communicators = {"W_d*,W,Comm_dup,2,0-1,,,,1"}, .operations = operations};
  };
  auto const found = findings_of(TemporaryProfile(profile(3000)));
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "communicator-churn");
  // 1.6 s of 1.62 s
  CHECK(found[0].fact ==
        "Each rank calls Comm_dup on W 3,000 times and frees 100.0 % of what it makes, after 2.0 calls on each, the "
        "mean of "
        "all ranks; making and freeing take 98.8 % of the MPI time.");
  CHECK(found[0].options == "--operations --comm W --op Comm_dup");
  CHECK(findings_of(TemporaryProfile(profile(99))).empty());
}

TEST_CASE("communicators that come and go on many parents are found together") {
  auto const profile = [](int parents) {
    TemporaryProfile::Content content;
    for (int i = 1; i <= parents; ++i) {
      content.communicators.push_back(fmt::format("W_d{},W,Comm_dup,2,0-1,,,,1", i));
      content.communicators.push_back(fmt::format("W_d{0}_s*,W_d{0},Comm_split,2,0-1,,,,1", i));
    }
    for (int rank = 0; rank < 2; ++rank) {
      for (int i = 1; i <= parents; ++i) {
        content.operations.push_back(fmt::format("main,W_d{},2,{},Comm_split,0,0,10,0,0,0.05,0,1", i, rank));
        content.operations.push_back(fmt::format("main,W_d{}_s*,2,{},Comm_free,0,0,10,0,0,0.03,0,1", i, rank));
      }
    }
    return content;
  };
  auto const found = findings_of(TemporaryProfile(profile(10)));
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "communicator-churn");
  CHECK(found[0].fact ==
        "Each rank calls Comm_split on 10 communicators 100 times and frees 100.0 % of what it makes, after 0.0 calls "
        "on each, the mean of all ranks; making and freeing take 100.0 % of the MPI time.");
  CHECK(found[0].options == "--operations --op Comm_split");
  CHECK(findings_of(TemporaryProfile(profile(9))).empty());
}

TEST_CASE("tiny messages are found") {
  auto const profile = [](int tiny, double seconds_of_large) {
    std::vector<std::string> operations;
    for (int rank = 0; rank < 2; ++rank) {
      operations.push_back(fmt::format("main,W,2,{},Isend,8,15,{},{},0,0.4,0,1", rank, tiny, tiny * 8));
      operations.push_back(fmt::format("main,W,2,{},Send,65536,131071,10,655360,0,{},0,1", rank, seconds_of_large));
      operations.push_back(fmt::format("main,W,2,{},Wait,0,0,{},0,0,1,0,1", rank, tiny));
    }
    return TemporaryProfile::Content{.operations = operations};
  };
  auto const found = findings_of(TemporaryProfile(profile(2000, 0.1)));
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "tiny-messages");
  // 4,020 messages with 2 × (16,000 + 655,360) B; 4,000 of them tiny
  CHECK(found[0].fact ==
        "4,020 messages on W carry 1.281 MiB: 99.5 % of them are below 256 B, most of 8-15 B, and take 80.0 % of the "
        "time of calls "
        "that carry messages. Point-to-point calls and completions there take 100.0 % of the MPI time.");
  CHECK(findings_of(TemporaryProfile(profile(999, 0.1))).size() == 1);  // Wait dominates, and that is all
  CHECK(findings_of(TemporaryProfile(profile(999, 0.1)))[0].rule == "dominant-operation");
  for (Finding const& one : findings_of(TemporaryProfile(profile(2000, 0.5)))) CHECK(one.rule != "tiny-messages");
}

TEST_CASE("those that others wait for are found") {
  auto const profile = [](std::string const& other) {
    return TemporaryProfile::Content{
        .ranks = 3,
        .operations = {"main,W,3,0,Send,8,15,20,160,0,0.5,0,1", "main,W,3,1,Recv,8,15,10,0,80,6,0,1",
                       "main,W,3,2,Recv,8,15,10,0,80,4,0,1"},
        .peers = {{"main,W,p2p,0,1,8,15,10,80,", "main,W,p2p,0,2,8,15,10,80,", other}}};
  };
  auto const found = findings_of(TemporaryProfile(profile("main,W,p2p,2,1,8,15,10,80,")));
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "late-senders");
  // Ranks 1 and 2 wait 10 s of 20 s; 20 of the 30 messages to them are of rank 0.
  CHECK(found[0].fact ==
        "Ranks 1-2 spend 50.0 % of their wall time in receives, probes and waits, 5.000 s on average. "
        "66.7 % of the messages to them come from rank 0, which spends 0 s there.");
  CHECK(found[0].options == "--matrix --by messages --top 10 --to 1-2");
  for (Finding const& one : findings_of(TemporaryProfile(profile("main,W,p2p,2,1,8,15,11,80,")))) {
    CHECK(one.rule != "late-senders");  // 20 of 31 is less than two thirds
  }
}

TEST_CASE("where most of the waiting for messages is not known, those that others wait for are guessed") {
  // Nothing is known of 5 s in Recv on W, and of the time in Probe on another communicator this part is not.
  auto const says_late = [](double probing_s, double unknown) {
    TemporaryProfile const files(
        {.ranks = 3,
         .communicators = {"W_d1,W,Comm_dup,3,0-2,,,,0"},
         .operations = {"main,W,3,0,Send,8,15,20,160,0,0.5,0,1", "main,W,3,1,Recv,8,15,10,0,80,3,0,1",
                        fmt::format("main,W_d1,3,1,Probe,0,0,10,0,0,{},0,1", probing_s / 2),
                        "main,W,3,2,Recv,8,15,10,0,80,2,0,1",
                        fmt::format("main,W_d1,3,2,Probe,0,0,10,0,0,{},0,1", probing_s / 2)},
         .peers = {{"main,W,p2p,0,1,8,15,10,80,", "main,W,p2p,0,2,8,15,10,80,"}},
         .waits = {{fmt::format("W_d1,Probe,2,20,120,instants,{},0.1,0.1,,,0,1,,late-sender,,120,{},0,0.7", probing_s,
                                unknown)}},
         .waits_by_rank = std::vector<std::string>()});
    return std::ranges::any_of(findings_of(files), [](Finding const& one) { return one.rule == "late-senders"; });
  };
  CHECK(says_late(1, 0));
  CHECK(says_late(4.9, 0));
  CHECK_FALSE(says_late(5.1, 0));
  CHECK(says_late(5.1, 0.1));
}

TEST_CASE("senders that are not selected count among the senders") {
  // Rank 1 sends 10 of 3,000 messages to rank 0: 0.3 %. It is the only other rank that is selected.
  TemporaryProfile const files(
      {.ranks = 4,
       .operations = {"main,W,4,0,Recv,8,15,3000,0,24000,8,0,1", "main,W,4,1,Send,8,15,10,80,0,0.1,0,1",
                      "main,W,4,2,Send,8,15,1495,11960,0,0.1,0,1", "main,W,4,3,Send,8,15,1495,11960,0,0.1,0,1"},
       .peers = {
           {"main,W,p2p,1,0,8,15,10,80,", "main,W,p2p,2,0,8,15,1495,11960,", "main,W,p2p,3,0,8,15,1495,11960,"}}});
  set_mpi_times(files, {8, 0.1, 0.1, 0.1});
  auto const says_late = [&](std::string const& ranks) {
    Selection selection;
    selection.ranks = RankSet::parse(ranks);
    FirstScreen const screen = read_first_page(Profile(files.path()), selection);
    return std::ranges::any_of(flattened(screen),
                               [](FlatFinding const& one) { return one.finding->rule == "late-senders"; });
  };
  CHECK_FALSE(says_late("0-1"));
  CHECK_FALSE(says_late("0-2"));  // 50.2 % is less than two thirds
  CHECK(says_late("0,2-3"));      // 99.7 %

  // What rank 0 receives is no part of what it sends.
  Selection first;
  first.ranks = RankSet::parse("0-1");
  FirstScreen const screen = read_first_page(Profile(files.path()), first);
  auto const shown = highlights(screen);
  auto const pair = std::ranges::find(shown, "Top pair", &Highlight::label);
  REQUIRE(pair != shown.end());
  CHECK(pair->text ==
        "rank 2 to rank 0: 49.8 % of the 23.44 KiB of all messages from or to the selected ranks; 1 more pair has as "
        "much.");
}

TEST_CASE("the command that shows more selects a folded communicator alone") {
  auto const single = rows("W_d1", "Allreduce", "8,15", 10, 80, {1, 1});
  auto const others = rows("W_d*", "Allreduce", "8,15", 10, 80, {3, 3});
  std::vector<std::string> const operations{single[0], others[0], single[1], others[1]};
  TemporaryProfile const files(
      {.communicators = {"W_d1,W,Comm_dup,2,0-1,,,,0", "W_d*,W,Comm_dup,2,0-1,,,,0"}, .operations = operations});
  auto const found = findings_of(files);
  REQUIRE(found.size() == 1);
  CHECK(found[0].options == R"(--sizes --comm 'W_d\*' --op Allreduce)");
  Selection folded;
  folded.communicators = {"W_d\\*"};
  Summary const summary = files.summarise(folded);
  double selected_s = 0;
  for (CommunicatorSummary const& one : summary.communicators)
    if (one.selected) selected_s += one.totals.time_s;
  CHECK(selected_s == 6);
}

TEST_CASE("a rank whose time is in sending has no other work to leave") {
  auto const rule = [](double sending_s) {
    auto const found = findings_of(
        TemporaryProfile({.operations = {fmt::format("main,W,2,0,Send,8192,16383,20,163840,0,{},0,1", sending_s),
                                         "main,W,2,1,Recv,8192,16383,20,0,163840,4,0,1"},
                          .peers = {{"main,W,p2p,0,1,8192,16383,20,163840,"}}}));
    return found.empty() ? "" : std::string(found[0].rule);
  };
  CHECK(rule(2) == "late-senders");  // outside MPI are 8 and 6 s
  CHECK(rule(2.1) == "dominant-operation");
}

TEST_CASE("uneven work explains that others wait for messages of a busy rank") {
  // Useful are 9.5, 4 and 6 s.
  TemporaryProfile const files(
      {.ranks = 3,
       .operations = {"main,W,3,0,Send,8,15,20,160,0,0.5,0,1", "main,W,3,1,Recv,8,15,10,0,80,6,0,1",
                      "main,W,3,2,Recv,8,15,10,0,80,4,0,1"},
       .peers = {{"main,W,p2p,0,1,8,15,10,80,", "main,W,p2p,0,2,8,15,10,80,"}}});
  set_mpi_times(files, {0.5, 6, 4});
  auto const found = findings_of(files);
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "uneven-work");
  REQUIRE(found[0].consequences.size() == 1);  // that Recv dominates is explained by late senders
  CHECK(found[0].consequences[0].rule == "late-senders");

  FirstScreen const screen = read_first_page(Profile(files.path()), {});
  auto const told = flattened(screen);
  REQUIRE(told.size() == 2);
  CHECK(told[0].explained_by.empty());
  CHECK(told[1].finding->rule == "late-senders");
  CHECK(told[1].explained_by == "uneven-work");
}

TEST_CASE("a bad mapping is found where another one is better") {
  auto const find = [](std::vector<std::string> const& hosts, std::vector<std::string> const& peers) {
    TemporaryProfile const files({.ranks = 4,
                                  .operations = rows("W", "Isend", "1048576,2097151", 1, 1048576, {0.6, 0.6, 0.6, 0.6}),
                                  .peers = peers});
    for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
      files.replace("ranks.csv", fmt::format("\n{},host,", rank), fmt::format("\n{},{},", rank, hosts[rank]));
    }
    auto const found = findings_of(files);
    return found.empty() ? std::string() : found[0].fact;
  };
  auto const mebibyte = [](int from, int to) {
    return fmt::format("main,W,p2p,{},{},1048576,2097151,1,1048576,", from, to);
  };
  std::string const rest = " Messages take 6.0 % of the wall time.";
  CHECK(find({"a", "a", "b", "b"}, {mebibyte(0, 2), mebibyte(1, 3), mebibyte(2, 3), mebibyte(2, 3)}) == "");
  CHECK(find({"a", "a", "b", "b"}, {mebibyte(0, 2), mebibyte(1, 3)}) ==
        "100.0 % of the bytes of messages (2.000 MiB of 2.000 MiB) cross hosts; "
        "with ranks dealt to the hosts in turn, 0.0 % of them would." +
            rest);
  CHECK(find({"a", "b", "a", "b"}, {mebibyte(0, 1), mebibyte(2, 3), mebibyte(3, 1)}) ==
        "66.7 % of the bytes of messages (2.000 MiB of 3.000 MiB) cross hosts; "
        "with consecutive ranks on each host, 33.3 % of them would." +
            rest);
  CHECK(find({"a", "a", "b", "b"}, {mebibyte(0, 3), mebibyte(1, 2)}) ==
        "100.0 % of the bytes of messages (2.000 MiB of 2.000 MiB) cross hosts; "
        "with ranks that exchange most on one host, 0.0 % of them would." +
            rest);
  // All to all cannot be placed better.
  std::vector<std::string> all;
  for (int from = 0; from < 4; ++from) {
    for (int to = 0; to < 4; ++to) {
      if (from != to) all.push_back(mebibyte(from, to));
    }
  }
  CHECK(find({"a", "a", "b", "b"}, all) == "");
}

TEST_CASE("polling for nothing is found") {
  auto const profile = [](int polls) {
    return TemporaryProfile::Content{.operations = {"main,W,2,0,Test,0,0,2,0,0,0.001,0,1",
                                                    fmt::format("main,W,2,0,Test-none,0,0,{},0,0,1,0,1", polls)}};
  };
  auto const found = findings_of(TemporaryProfile(profile(1000)));
  REQUIRE(found.size() == 1);
  CHECK(found[0].fact ==
        "1,000 calls of Test on W find nothing, 500 for each that does; they take 99.9 % of the MPI time.");
  CHECK(found[0].options == "--operations --comm W --op 'Test*'");
  CHECK(findings_of(TemporaryProfile(profile(999))).empty());
}

TEST_CASE("the weightiest findings come first, and no more than five") {
  std::vector<std::string> communicators;
  std::vector<std::string> operations;
  for (int i = 1; i <= 7; ++i) {
    communicators.push_back(fmt::format("W_d{},W,Comm_dup,2,0-1,,,,0", i));
    operations.push_back(fmt::format("main,W_d{},2,0,Test-none,0,0,5000,0,0,1.{},0,1", i, i));
  }
  auto const found = findings_of(TemporaryProfile({.communicators = communicators, .operations = operations}));
  REQUIRE(found.size() == 5);
  CHECK(found[0].options == "--operations --comm W_d7 --op 'Test*'");
  CHECK(found[4].options == "--operations --comm W_d3 --op 'Test*'");
}

TEST_CASE("nobody is told to use the nonblocking form of a nonblocking call") {
  for (char const* const operation : {"Isend", "Iallreduce", "Allreduce_init", "Ibarrier"}) {
    TemporaryProfile const files({.operations = rows("W", operation, "16384,32767", 95, 1600000, {1, 2})});
    auto const found = findings_of(files);
    REQUIRE(found.size() == 1);
    CHECK(found[0].advice ==
          std::string(operation) +
              " only begins its work, but the MPI does part of it, such as copying, within the call: "
              "call it less often, or with less data.");
  }
  for (char const* const operation : {"Allreduce", "Comm_idup", "Waitall"}) CHECK_FALSE(only_begins(operation));
}

TEST_CASE("where MPI takes its time in many places, the first page says in what") {
  TemporaryProfile::Content content;
  for (int number = 1; number <= 8; ++number)
    content.communicators.push_back(fmt::format("W_s{}.0,W,Comm_split,2,0-1,,,,0", number));
  for (int rank = 0; rank < 2; ++rank)
    for (int number = 1; number <= 8; ++number)
      content.operations.push_back(fmt::format("main,W_s{}.0,2,{},{},8192,16383,10,81920,81920,0.25,0.01,0.1", number,
                                               rank, number % 4 == 0 ? "Bcast" : "Allreduce"));
  TemporaryProfile const files(content);
  FirstScreen const screen = read_first_page(Profile(files.path()), {});
  CHECK(screen.findings.empty());
  CHECK(
      reason_for_no_findings(screen) ==
      "nothing is above the thresholds that man mpisee-through lists; Allreduce on W_s1.0, the longest, takes 2.5 % of "
      "the wall time, less than 10.0 %. But MPI takes 20.0 % of the wall time, spread over calls and communicators: "
      "Allreduce "
      "75.0 %, Bcast 25.0 % of it.");
  set_mpi_times(files, {0.5, 0.5});
  CHECK(
      reason_for_no_findings(read_first_page(Profile(files.path()), {})) ==
      "nothing is above the thresholds that man mpisee-through lists; Allreduce on W_s1.0, the longest, takes 2.5 % of "
      "the wall time, less than 10.0 %.");
}

TEST_CASE("the command that shows more keeps to the selected ranks and regions") {
  TemporaryProfile const files({.operations = {"main,W,2,0,Test-none,0,0,5000,0,0,1,0,1"}});
  Selection selection;
  selection.ranks = RankSet::parse("0");
  selection.regions = {"ma*"};
  FirstScreen const screen = read_first_page(Profile(files.path()), selection);
  REQUIRE(screen.findings.size() == 1);
  CHECK(arguments_of(screen.findings[0], screen) ==
        "--operations --comm W --op 'Test*' --rank 0 --region 'ma*' " + files.path().string());
}

TEST_CASE("what needs all that ranks did is silent about a part of it") {
  TemporaryProfile const files({.ranks = 4, .operations = rows("W", "Allreduce", "8,15", 10, 80, {1, 7, 7, 7})});
  set_mpi_times(files, {1, 7, 7, 7});
  Selection part;
  part.operations = {"Allreduce"};
  auto const found = findings_of(files, part);
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == "dominant-operation");
}
