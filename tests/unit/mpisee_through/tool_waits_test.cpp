// Waiting as the built mpisee-through shows it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>

#include "support/run_tool.hpp"
#include "support/temporary_profile.hpp"

namespace {

std::string waits_shown(std::string const& line) {
  ToolRun const run = run_shell("mpisee-through " + line, sample_parent);
  CHECK(run.err == "");
  CHECK(run.exit_code == 0);
  return run.out;
}

std::string waits_refused(std::string const& arguments, int exit_code) {
  ToolRun const run = run_tool(arguments, sample_parent);
  CHECK(run.exit_code == exit_code);
  CHECK(run.out == "");
  return run.err;
}

}  // namespace

TEST_CASE("what is selected in the waits") {
  CHECK(contains(waits_shown("--waits --sort name --op 'B*' sample-waits"), "At\nW_s1.0 "));
  CHECK(contains(waits_shown("--waits --kind p2p sample-waits"), "No sampled operations in this selection.\n"));
  CHECK(contains(
      waits_shown("--waits --by-rank --op Send sample-messages"),
      "60.0 ± 10.0 % of Send on W (4 ranks) at output.c:40 is waiting for late receivers; rank 0 causes 90.0 % of "
      "it.\n"));
}

TEST_CASE("option --waits of a few ranks sums up theirs") {
  CHECK(contains(waits_shown("--waits --rank 6-7 --op Allreduce sample-waits"),
                 "W                8  Allreduce  4,000  2.800 s  1.700 s       60.7 %       -  7 (91.0 %)  860.0 µs  "
                 "solver.f90:214\n"));
  CHECK_FALSE(contains(waits_shown("--waits --rank 6-7 sample-waits"), "W_s1.0"));
}

TEST_CASE("option --top of ranks counts the lines of all operations") {
  std::string const csv = waits_shown("--waits --by-rank --top 10 --csv sample-waits");
  CHECK(std::ranges::count(csv, '\n') == 1 + 10);  // 8 of Allreduce, 2 of the next operation
  CHECK(contains(csv, "\nW_s1.4,Barrier,solver+0x2d40,collective,5,"));
  std::string const text = waits_shown("--waits --by-rank --top 8 sample-waits");
  CHECK_FALSE(contains(text, "Barrier"));
  CHECK(contains(text, "\nNot shown, beyond --top: 2 operations.\n"));
}

TEST_CASE("the first page has no waiting where there is no room, and of a region") {
  CHECK_FALSE(contains(waits_shown("--width 60 sample-waits"), "Coll. waits"));
  CHECK_FALSE(contains(waits_shown("--region main sample-waits"), "waiting for all"));
}

TEST_CASE("what --waits cannot answer is refused in one line") {
  for (std::string const option : {"--region main", "--site x", "--size 8"}) {
    std::string const name = option.substr(0, option.find(' '));
    CHECK(waits_refused("--waits " + option + " sample-waits", 2) ==
          "mpisee-through: --waits excludes " + name + " (--help explains)\n");
  }
  CHECK(waits_refused("--waits --by-pair --by-rank sample-waits", 2) ==
        "mpisee-through: --by-rank excludes --by-pair (--help explains)\n");
  CHECK(waits_refused("--by-pair sample-waits", 2) == "mpisee-through: --by-pair requires --waits (--help explains)\n");
  CHECK(waits_refused("--by-rank sample-waits", 2) == "mpisee-through: --by-rank requires --waits (--help explains)\n");
  CHECK(waits_refused("--waits sample", 1) ==
        "mpisee-through: sample/waits.csv: this profile was written without waiting times\n");
}

TEST_CASE("damaged waits are one line of error in every view that needs them") {
  TemporaryProfile const files({.operations = {"main,W,2,0,Barrier,0,0,2,0,0,3,1,2"},
                                .waits = {{"W,Barrier,2,4,2,entries,4,3,,,,1,0.5,", "W,Scan,2,4,2,entries,4,3,,,,,,"}},
                                .waits_by_rank = std::vector<std::string>()});
  std::string const whole = files.read("waits.csv");
  files.write("waits.csv", whole.substr(0, whole.rfind("W,")));
  std::string const path = files.path().string();
  for (std::string const view : {"", "--waits ", "--waits --by-rank ", "--json "}) {
    CHECK(waits_refused(view + "'" + path + "'", 1) ==
          "mpisee-through: " + path + "/waits.csv:2: cut off after 1 of 2 rows\n");
  }
  CHECK(waits_shown("--operations '" + path + "'") != "");
}

TEST_CASE("waits show no control characters and no clock that is not there") {
  TemporaryProfile const files({.communicators = {"W_\x1bs,W,Comm_split,2,0-1,,,,0"},
                                .operations = {"main,W_\x1bs,2,0,Bar\x07rier,0,0,2,0,0,3,1,2"},
                                .waits = {{"W_\x1bs,Bar\x07rier,2,4,2,durations,3,2,0.3,,,1,0.5,"}},
                                .waits_by_rank = {{"W_\x1bs,Bar\x07rier,0,2,3,2,1"}},
                                .more_of_run = ",\n\"waits\": {\"fol\\u001bded\": 3, \"intercommunicators\": 4}"});
  std::string const path = "'" + files.path().string() + "'";
  std::string const table = waits_shown("--waits " + path);
  CHECK_FALSE(contains(table, "\x1b"));
  CHECK_FALSE(contains(table, "\x07"));
  CHECK(contains(table, "\nW_\\x1bs          2  Bar\\x07rier "));
  CHECK(contains(table, "  at most 66.7 ± 10.0 %  "));
  CHECK(contains(table, "\nAt most: there is no common clock, "));
  std::string const by_rank = waits_shown("--waits --by-rank --csv " + path);
  CHECK(contains(by_rank, ",0,host,2,3,2,0.6666666666666666,,,at most,at most\n"));
  CHECK(contains(waits_shown("--waits --by-rank " + path), "  -  3.000 s  at most 2.000 s  at most 66.7 %"));
  CHECK(contains(table, "\nNot sampled: fol\\x1bded: 3; 4 calls on intercommunicators.\n"));
  CHECK(contains(waits_shown(path), " at most 66.7 %"));
  CHECK_FALSE(contains(waits_shown("--waits --by-rank " + path), "\x1b"));
}
