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

TEST_CASE("option --waits shows each operation that was sampled") {
  std::string const table = waits_shown("--waits sample-waits");
  // 11.3 + 0.4 + 1.6 s of 14.8 + 2 + 2 s; errors are 0.45, 0.02 and 0.06 s; 21.2 s in MPI
  CHECK(contains(table,
                 "\nWaiting    70.7 ± 2.4 % of 18.80 s in sampled collectives; 62.7 % of the MPI time\n"
                 "Moving     20.8 % of the MPI time; delays within these calls 5.2 %\n"  // 4.4 and 1.1 s
                 "Not known  how much of 11.3 % of the MPI time is waiting: Sendrecv\n\n"
                 "Communicator  "));
  CHECK(contains(waits_shown("--waits --top 1 sample-waits"), "\n\nNot shown, beyond --top: 2 operations.\n"));
  CHECK(contains(waits_shown("--waits --sort name --op 'B*' sample-waits"), "At\nW_s1.0 "));
  CHECK(contains(waits_shown("--waits --kind p2p sample-waits"), "No sampled operations in this selection.\n"));
}

TEST_CASE("option --waits of a few ranks sums up theirs") {
  CHECK(contains(waits_shown("--waits --rank 6-7 --op Allreduce sample-waits"),
                 "W                8  Allreduce  4,000  2.800 s  1.700 s       60.7 %       -  7 (91.0 %)  860.0 µs  "
                 "solver.f90:214\n"));
  CHECK_FALSE(contains(waits_shown("--waits --rank 6-7 sample-waits"), "W_s1.0"));
}

TEST_CASE("option --by-rank shows who comes last and who waits") {
  std::string const table = waits_shown("--waits --by-rank --op Allreduce --top 2 sample-waits");
  CHECK(contains(table,
                 "76.4 ± 3.0 % of Allreduce on W (8 ranks) at solver.f90:214 is waiting for all to come; rank 7 comes "
                 "last in 91.0 % of the calls, 860.0 µs after the mean of the others.\n"
                 "  Rank  Host   Comes last      Time   Waiting  Of the time  Of the longest\n"
                 "     7  node2      91.0 %  800.0 ms  100.0 ms       12.5 %  #\n"
                 "     0  node1       1.6 %   2.000 s   1.600 s       80.0 %  ####################\n"
                 "  Not shown, beyond --top: 6 ranks.\n"));
}

TEST_CASE("option --top of ranks counts the lines of all operations") {
  std::string const csv = waits_shown("--waits --by-rank --top 10 --csv sample-waits");
  CHECK(std::ranges::count(csv, '\n') == 1 + 10);  // 8 of Allreduce, 2 of the next operation
  CHECK(contains(csv, "\nW_s1.4,Barrier,solver+0x2d40,collective,5,"));
  std::string const text = waits_shown("--waits --by-rank --top 8 sample-waits");
  CHECK_FALSE(contains(text, "Barrier"));
  CHECK(contains(text, "\nNot shown, beyond --top: 2 operations.\n"));
}

TEST_CASE("waits as CSV and as JSON") {
  CHECK(waits_shown("--waits --csv --op Allreduce sample-waits") ==
        "comm,comm_size,op,ranks,calls,samples,how,time_s,wait_s,wait_share,wait_error_s,move_s,rest_s,last_rank,last_"
        "share,late_s,site,function,file,line,kind,unknown_share,caused_by,caused_share,wait_s_bound,wait_share_bound\n"
        "W,8,Allreduce,8,16000,256,entries,14.8,11.3,0.7635135135135135,0.45,2.6,0.9,7,0.91015625,0.00086,"
        "solver+0x4a2f,norm,/src/solver.f90,214,collective,,,,,\n");
  CHECK(waits_shown("--waits --by-rank --csv --rank 7 --op Allreduce sample-waits") ==
        "comm,op,site,kind,rank,host,samples,time_s,wait_s,wait_share,last,last_share,wait_s_bound,wait_share_bound\n"
        "W,Allreduce,solver+0x4a2f,collective,7,node2,256,0.8,0.1,0.125,233,0.91015625,,\n");
  for (std::string const options : {"--waits --json", "--waits --by-rank --json"}) {
    ToolRun const run = run_shell("mpisee-through " + options +
                                      " sample-waits | python3 -c '\n"
                                      "import json, sys\n"
                                      "page = json.load(sys.stdin)\n"
                                      "assert page[\"not_sampled\"] == {\"folded\": 240, \"incomplete\": 0}\n"
                                      "first = page[\"waits\"][0]\n"
                                      "assert first[\"op\"] == \"Allreduce\" and first[\"last_rank\"] == 7\n"
                                      "assert first[\"line\"] == \"214\"\n"
                                      "assert first[\"wait_error_s\"] == 0.45\n"
                                      "assert [one[\"rank\"] for one in first.get(\"by_rank\", [])][:1] == " +
                                      (options.find("by-rank") == options.npos ? "[]" : "[7]") + "\n'",
                                  sample_parent);
    CHECK(run.exit_code == 0);
    CHECK(run.err == "");
  }
}

TEST_CASE("the first page knows waiting") {
  std::string const page = waits_shown("sample-waits");
  // 11.3 of 17.2 s, 0.4 of 2 s
  CHECK(contains(page, "  Coll. waits\nW                8    81.1 %   2.150 s   1.100 s   2.300 s       65.7 %  "));
  CHECK(contains(page, "\n1. 76.4 ± 3.0 % of Allreduce on W (8 ranks) at solver.f90:214 is waiting for all to come; "));
  CHECK(contains(page, "\n   More: mpisee-through --waits --by-rank --comm W --op Allreduce sample-waits\n"));
  CHECK_FALSE(contains(page, "Most uneven"));  // the finding explains it
  CHECK_FALSE(contains(page, "\n2. "));
  std::string const narrow = waits_shown("--width 60 sample-waits");
  CHECK_FALSE(contains(narrow, "Coll. waits"));
  CHECK_FALSE(contains(waits_shown("--region main sample-waits"), "waiting for all"));
  std::string const csv = waits_shown("--csv sample-waits");
  // Without the waiting for messages, which take 11.3 % of the MPI time, these are not known.
  CHECK_FALSE(contains(csv, "serialisation"));
  CHECK(contains(csv, "\ncommunicator,W_s1.4,wait_s,1.6\n"));
  CHECK(run_shell("mpisee-through --json sample-waits | python3 -c '\n"
                  "import json, sys\n"
                  "page = json.load(sys.stdin)\n"
                  "assert page[\"efficiency\"][\"serialisation\"] is None\n"
                  "assert page[\"communicators\"][0][\"wait_s\"] == 11.3\n'",
                  sample_parent)
            .exit_code == 0);
  // If nothing is known, the page does not mention waiting.
  for (char const* options : {"sample", "--csv sample"}) {
    CHECK_FALSE(contains(waits_shown(options), "wait_s"));
    CHECK_FALSE(contains(waits_shown(options), "Coll. waits"));
  }
}

TEST_CASE("option --waits shows who waits for messages, and for whom") {
  std::string const text = waits_shown("--waits sample-messages");
  // Calls take 9.8, 0.5 and 0.3 s. The waiting is known for 98 % of the first two, and for 0.24 s of the third; 62 %
  // and 5 % of the first two are waiting.
  CHECK(contains(
      text,
      "\nWaiting    66.7 ± 5.6 % of 1.800 s in sampled collectives, 65.6 ± 2.1 % of 10.34 s in calls that wait "
      "for messages; 58.7 % of the MPI time\n"));
  CHECK(contains(text, "\nMoving     "));
  CHECK(contains(text, "  late senders       "));
  CHECK(contains(text, "1 (70.0 %)"));
  CHECK(contains(text, "\nand 4 pairs: --by-pair\n"));
  CHECK(contains(text, "\nOf the time is - where fewer than 30 instants lie in the calls.\n"));
  std::string const pairs = waits_shown("--waits --by-pair --csv sample-messages");
  CHECK(std::ranges::count(pairs, '\n') == 1 + 14);
  CHECK(contains(pairs,
                 "comm,op,kind,rank,host,for_rank,wait_s,wait_error_s\nW_a1,Waitall,late-sender,0,node1,1,1.5,0.12\n"));
  std::string const csv = waits_shown("--waits --csv --op Recv sample-messages");
  CHECK(contains(
      csv,
      ",24,instants,0.3,0.06,0.2,0.025,,,3,1,,stencil+0x14f0,write_step,/src/output.c,51,late-sender,0.2,3,1,,\n"));
  CHECK(contains(
      waits_shown("--waits --by-rank --op Send sample-messages"),
      "60.0 ± 10.0 % of Send on W (4 ranks) at output.c:40 is waiting for late receivers; rank 0 causes 90.0 % of "
      "it.\n"));
  CHECK(run_shell("mpisee-through --waits --json sample-messages | python3 -c '\n"
                  "import json, sys\n"
                  "page = json.load(sys.stdin)\n"
                  "assert len(page[\"pairs\"]) == 10 and page[\"pairs\"][0][\"for_rank\"] == 1\n"
                  "assert [one[\"kind\"] for one in page[\"waits\"]] == [\"collective\", \"late-sender\", "
                  "\"late-receiver\", \"late-receiver\", \"late-sender\", \"pending\", \"pending\"]\n"
                  "assert page[\"waits\"][1][\"caused_by\"] == 1\n'",
                  sample_parent)
            .exit_code == 0);
}

TEST_CASE("the first page of a profile with measured messages takes communication efficiency apart") {
  std::string const page = waits_shown("sample-messages");
  // One rank computes for 8.4 of 10 s, the others for 6 s. Without transfer, the rank with the longest computation and
  // waiting takes 8.45 s.
  CHECK(contains(page, "\nEstimated  Comm. = serialisation 99.4 % × transfer 84.5 %; not known: how much of 1.9 % "));
  CHECK(contains(waits_shown("--csv sample-messages"), "\nrun,,transfer_efficiency,0.845\n"));
  CHECK(contains(page, " is waiting for late senders; "));
  // The waiting of all is in the bars.
  CHECK(contains(waits_shown("--ranks sample-messages"),
                 "\nBars       # outside MPI, : waiting for others, - moving data, = other MPI time\n"));
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

TEST_CASE("waits of several profiles are shown one after the other") {
  std::string const csv = waits_shown("--waits --csv sample-waits sample-waits");
  CHECK(csv.find("profile,comm,comm_size,op,") == 0);
  CHECK(contains(csv, "\nsample-waits,W,8,Allreduce,"));
  CHECK(waits_shown("--waits sample-waits sample-waits") ==
        waits_shown("--waits sample-waits") + "\n\n" + waits_shown("--waits sample-waits"));
}
