#include "comparison/notices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch.hpp>
#include <memory>

#include "comparison/comparison.hpp"
#include "support/temporary_profile.hpp"

using namespace mpisee_through;
using Catch::Contains;

namespace {

using Files = std::vector<std::unique_ptr<TemporaryProfile>>;

// Each run has an additional member in run.json.
Files files_with(std::vector<std::string> const& more_of_run) {
  Files files;
  for (std::string const& more : more_of_run)
    files.push_back(std::make_unique<TemporaryProfile>(TemporaryProfile::Content{.more_of_run = more}));
  return files;
}

Runs read_files(Files const& files) {
  std::vector<std::filesystem::path> paths;
  for (auto const& one : files) paths.push_back(one->path());
  return read_runs(paths, {});
}

std::vector<std::string> notices_between(std::vector<std::string> const& before,
                                         std::vector<std::string> const& after) {
  std::vector<std::string> all = before;
  all.insert(all.end(), after.begin(), after.end());
  Files const files = files_with(all);
  RunGroup left(before.size()), right(after.size());
  for (std::size_t i = 0; i < before.size(); ++i) left[i] = i;
  for (std::size_t i = 0; i < after.size(); ++i) right[i] = before.size() + i;
  return notices_of(read_files(files), left, right);
}

std::string notice_between(std::string const& before, std::string const& after) {
  auto const notices = notices_between({before}, {after});
  INFO(fmt::format("{}", fmt::join(notices, "\n")));
  REQUIRE(notices.size() == 1);
  return notices[0];
}

}  // namespace

TEST_CASE("runs that differ in nothing but time have no notices") {
  std::string const run =
      R"(, "arguments": ["-n", "4"], "commprof": "0.1", "mpi": {"library": "Open MPI v4.1.4, built", "version": "3.1"},)"
      R"("options": {"COMMPROF_PEERS": "1", "COMMPROF_OUTPUT": "a"})";
  std::string other = run;
  other.replace(other.find("\"a\""), 3, "\"b\"");  // where the profile is
  CHECK(notices_between({run, run}, {other}).empty());
  // Profiles of an older version lack some of these facts.
  CHECK(notices_between({run}, {R"(, "arguments": ["-n", "4"])"}).empty());
}

TEST_CASE("what differs besides the times is named") {
  CHECK(notice_between(R"(, "arguments": ["-n", "4"])", R"(, "arguments": ["-n", "two words"])") ==
        "Arguments differ: -n 4 before, -n 'two words' after.");
  CHECK(notice_between("", R"(, "arguments": ["-v"])") == "Arguments differ: none before, -v after.");
  CHECK(notice_between(R"(, "mpi": {"library": "Open MPI v4.1.4, built here"})",
                       R"(, "mpi": {"library": "MPICH Version: 4.0.2"})") ==
        "MPI libraries differ: Open MPI v4.1.4 before, MPICH Version: 4.0.2 after.");
  CHECK(notice_between(R"(, "mpi": {"library": "Open MPI v4.1.4, built here"})",
                       R"(, "mpi": {"library": "Open MPI v4.1.4, built there"})") ==
        "Builds of the MPI library differ: Open MPI v4.1.4, built here before, Open MPI v4.1.4, built there after.");
  CHECK(notice_between(R"(, "commprof": "0.1")", R"(, "commprof": "0.2")") ==
        "Versions of the profiler differ: 0.1 before, 0.2 after.");
  CHECK(notice_between(R"(, "options": {"COMMPROF_PEERS": "1", "COMMPROF_SITES": "1", "COMMPROF_OPS": "*"})",
                       R"(, "options": {"COMMPROF_PEERS": "0", "COMMPROF_SITES": "1", "COMMPROF_OPS": "Send"})") ==
        "Options of the profiler differ: COMMPROF_OPS * before, Send after; COMMPROF_PEERS 1 before, 0 after.");
}

TEST_CASE("all options that differ are named") {
  std::string const notice =
      notice_between(R"(, "options": {"A": "0", "B": "0", "C": "0", "D": "0", "E": "0", "F": "0"})",
                     R"(, "options": {"A": "1", "B": "1", "C": "1", "D": "1", "E": "1", "F": "1"})");
  CHECK_THAT(notice, Contains("A 0 before, 1 after") && Contains("F 0 before, 1 after"));
}

TEST_CASE("runs of one side can differ, too") {
  auto const notices =
      notices_between({R"(, "arguments": ["1"])", R"(, "arguments": ["2"])"}, {R"(, "arguments": ["1"])"});
  REQUIRE(notices.size() == 1);
  CHECK(notices[0] == "Arguments differ: 1, 2 before, 1 after.");
}

TEST_CASE("other hosts are named, and other places on the same hosts") {
  Files const files = files_with({"", "", ""});
  files[1]->replace("ranks.csv", "1,host", "1,other");
  files[2]->replace("ranks.csv", "0,host", "0,other");
  Runs const runs = read_files(files);
  CHECK(notices_of(runs, {0}, {1}) == std::vector<std::string>{"Hosts differ: host before, host, other after."});
  CHECK(notices_of(runs, {1}, {2}) ==
        std::vector<std::string>{"Places of ranks differ: 0 on host, 1 on other before, 1 on host, 0 on other after."});
}

TEST_CASE("communicators of other sizes are named") {
  Files files;
  files.push_back(std::make_unique<TemporaryProfile>(TemporaryProfile::Content{
      .communicators = {"W_s1.0,W,Comm_split,2,0-1,,,,0", "W_d1,W,Comm_dup,2,0-1,,,,0"},
      .operations = {"main,W_s1.0,2,0,Barrier,0,0,3,0,0,2,0,1", "main,W_d1,2,0,Barrier,0,0,3,0,0,2,0,1"}}));
  files.push_back(std::make_unique<TemporaryProfile>(TemporaryProfile::Content{
      .communicators = {"W_s1.0,W,Comm_split,1,0,,,,0", "W_s1.1,W,Comm_split,1,1,,,,0", "W_d1,W,Comm_dup,2,0-1,,,,0"},
      .operations = {"main,W_s1.0,1,0,Barrier,0,0,3,0,0,2,0,1", "main,W_d1,2,0,Barrier,0,0,3,0,0,2,0,1",
                     "main,W_s1.1,1,1,Barrier,0,0,4,0,0,1,0,1"}}));
  Runs runs = read_files(files);
  runs.communicators = join_siblings(std::move(runs.communicators));
  CHECK(notices_of(runs, {0}, {1}) ==
        std::vector<std::string>{"Sizes of communicators differ: W_s1.* 2 before, 1 after."});
}

TEST_CASE("runs whose ranks waited for processors are called that") {
  Files files;
  for (std::string_view const queued_s : {"0.5", "1", "3", ""}) {
    std::string const use = fmt::format("5,{},1,2,3,4", queued_s);
    files.push_back(std::make_unique<TemporaryProfile>(TemporaryProfile::Content{.processor_use = {use, use}}));
  }
  Runs const runs = read_files(files);
  CHECK(notices_of(runs, {0}, {0, 3}).at(0).starts_with("The same run"));
  CHECK(notices_of(runs, {0}, {3}).empty());
  CHECK(
      notices_of(runs, {0, 1}, {2}) ==
      std::vector<std::string>{"Ranks waited for a processor, 5.0 % to 10.0 % of their time before, 30.0 % after: all "
                               "times include it."});
  CHECK(
      notices_of(runs, {2}, {3}) ==
      std::vector<std::string>{"Ranks waited for a processor, 30.0 % of their time before, an unknown share after: all "
                               "times include it."});
}

TEST_CASE("long lists are cut") {
  std::string const arguments = std::string(1000, 'x');
  std::string const notice = notice_between("", fmt::format(R"(, "arguments": ["{}"])", arguments));
  CHECK(notice.size() < 250);
  std::vector<std::string> many;
  for (int i = 0; i < 9; ++i) many.push_back(fmt::format(R"(, "arguments": ["{}"])", i));
  CHECK(notices_between(many, {many[0]})[0] == "Arguments differ: 0, 1, 2, 3 and 5 more before, 0 after.");
}

TEST_CASE("an unfinished run is called that") {
  Files const files =
      files_with({"", R"(, "unfinished": {"ranks_missing": "1", "last_record_s": 2.5, "problems": []})"});
  files[1]->replace("ranks.csv", "1,host,1,0,1,10,2\n", "");
  Runs const runs = read_files(files);
  auto const notices = notices_of(runs, {0}, {1});
  REQUIRE(notices.size() == 2);
  CHECK(notices[0] ==
        files[1]->path().string() +
            " is unfinished: the program still runs, or ended without MPI_Finalize; last known call after "
            "2.500 s; nothing is known of ranks 1.");
  CHECK_THAT(notices[1], Contains("Numbers of ranks differ: 2 before, 1 after"));
  CHECK(notices_of(runs) == std::vector<std::string>{notices[0]});
}

TEST_CASE("an aborted run is called that") {
  Files const files = files_with({"", R"(, "unfinished": {"ranks_missing": "", "last_record_s": 2.5, "problems": [],
      "aborted": {"rank": 1, "code": -3}})"});
  Runs const runs = read_files(files);
  auto const notices = notices_of(runs, {0}, {1});
  REQUIRE(notices.size() == 1);
  CHECK(notices[0] ==
        files[1]->path().string() + " is unfinished: aborted by rank 1 with code -3; last known call after 2.500 s.");
}

TEST_CASE("a run that is given twice is called that") {
  std::string const start = R"(, "start": "2026-11-21T09:00:00.000Z")";
  Files const files = files_with({"", start, start});
  Runs const runs = read_files(files);
  std::string const path = files[0]->path().string();
  CHECK(notices_of(runs, {0}, {0}) == std::vector<std::string>{"The same run is on both sides: " + path + "."});
  CHECK(notices_of(runs, {0, 0}, {1}) ==
        std::vector<std::string>{"The same run is given 2 times: " + path + ". Repetitions are runs of their own."});
  CHECK(notices_of(runs, {0}, {1}).empty());
  // A copy of a profile is the same run.
  auto const copied = notices_of(runs, {1}, {2});
  REQUIRE(copied.size() == 1);
  CHECK_THAT(copied[0], Contains("The same run is on both sides: ") && Contains(files[1]->path().string()) &&
                            Contains(files[2]->path().string()));
  // Two runs that began at the same moment but took different times.
  files[2]->replace("run.json", "\"wall_s\": 10", "\"wall_s\": 11");
  CHECK(notices_of(read_files(files), {1}, {2}).empty());
  files[2]->replace("run.json", "\"wall_s\": 11", "\"wall_s\": 10");
  files[2]->replace("run.json", "\"ranks\": 2", "\"ranks\": 3");
  files[2]->write("ranks.csv",
                  "rank,host,pid,cpus,threads,wall_s,mpi_s\n0,host,1,0,1,10,2\n1,host,1,0,1,10,2\n2,host,1,0,1,10,2\n");
  CHECK_THAT(notices_of(read_files(files), {1}, {2}).at(0), !Contains("same run"));
  Runs const named_twice = read_runs({files[0]->path(), files[0]->path() / "run.json"}, {});
  CHECK(notices_of(named_twice).size() == 1);
}

TEST_CASE("too few runs are called that") {
  Files const files = files_with(std::vector<std::string>(8));
  Runs const runs = read_files(files);
  CHECK(caution_of(runs, {0}, {0}).empty());  // another notice says that they are one run
  CHECK(caution_of(runs, {0}, {1}) == "One run a side: differences may be chance; repeat the runs and use --with.");
  CHECK(caution_of(runs, {0}, {1, 2}) ==
        "One run on one side: differences may be chance; repeat the runs and use --with.");
  CHECK(caution_of(runs, {0, 1}, {2, 3, 4}) == "With 2 and 3 runs nothing can be significant: p is 0.2 at least.");
  CHECK(caution_of(runs, {0, 1, 2, 3}, {4, 5, 6, 7}).empty());  // 2 of 70
}
