// Runs the built mpisee-through: checks stdout, stderr, and the exit code.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "profile/schema.hpp"
#include "support/run_tool.hpp"
#include "support/temporary_profile.hpp"

namespace {

std::size_t lines(std::string const& text) { return static_cast<std::size_t>(std::ranges::count(text, '\n')); }

// Runs the tool on the sample, requires an answer, and returns it.
std::string answer(std::string const& options) {
  ToolRun const run = run_tool(options + " sample", sample_parent);
  CHECK(run.exit_code == 0);
  CHECK(run.err.empty());
  return run.out;
}

// The lines of a text that contain a pattern.
std::string grep(std::string const& text, std::string const& pattern) {
  std::string found;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = std::min(text.find('\n', at), text.size());
    std::string const line = text.substr(at, end - at);
    if (line.find(pattern) != std::string::npos) found += line + "\n";
    at = end + 1;
  }
  return found;
}

}  // namespace

TEST_CASE("sizes are marked that have most of the time and of the bytes, not of the calls") {
  // 8 B: 100 calls, 800 B and 1 s; 64 B: 40 calls, 2,560 B and 3 s; 1 KiB: 10 calls, 10,240 B and 2 s.
  TemporaryProfile const files(
      {.operations = {"main,W,2,0,Send,8,15,100,800,0,1,0.01,0.01", "main,W,2,0,Send,64,127,40,2560,0,3,0.01,0.1",
                      "main,W,2,0,Send,1024,2047,10,10240,0,2,0.2,0.2"}});
  std::string const text = run_tool("--sizes '" + files.path().string() + "'").out;
  CHECK(contains(text, "    100   16.7 %       5.9 %    ##\n"));
  CHECK(contains(text, "     40   50.0 % *    18.8 %    #####\n"));
  CHECK(contains(text, "     10   33.3 %      75.3 % *  ###\n"));
  std::string const csv = run_tool("--sizes --csv '" + files.path().string() + "'").out;
  CHECK(contains(csv, ",imbalance,op_time_share,op_bytes_share\n"));
  CHECK(contains(csv, fmt::format(",0.5,{}\n", 2560.0 / 13600)));
}

TEST_CASE("options --comm, --op and --rank select, also together") {
  CHECK(grep(answer("--operations --comm 'W_s2.0*'"), "  size ") ==
        "W_s2.0  size 2, ranks 0-1; Comm_split\n"
        "W_s2.0_d1  size 2, ranks 0-1; Comm_dup, freed\n");
  CHECK(grep(answer("--operations --comm 'W_s2.0_d1' --comm 'grid*'"), "  size ") ==
        "W_a1  size 4, ranks 0-3; Cart_create, cart 2x2 periods 10, \"grid, fine\"\n"
        "W_s2.0_d1  size 2, ranks 0-1; Comm_dup, freed\n");
  CHECK(grep(answer("--operations --op mpi_bcast"), "Bcast") ==
        "  Bcast     5.6 %    1.9 %  375.0 ms  250.0 ms  500.0 ms     33.3 %  31.25 ms  17.58 KiB     24\n"
        "  Bcast     4.6 %    1.5 %  312.5 ms  250.0 ms  375.0 ms     20.0 %  26.04 ms  17.58 KiB     24\n");
  // Ranks 1 and 3: 1 s each, of 6.750752 s in MPI and 20.5 s; 16,000 B.
  std::string const odd = answer("--operations --rank 1-3:2 --op Allreduce");
  CHECK(contains(odd,
                 "  Allreduce    29.6 %    9.8 %  1.000 s  1.000 s  1.000 s      0.0 %  1.000 ms  15.62 KiB  2,000\n"));
  CHECK(contains(odd, "Ranks      2 of 4 selected, on 2 hosts\n"));
  CHECK(contains(answer("--operations --rank 0 --op Recv"), "\nNo calls in this selection.\n"));
}

TEST_CASE("options --sort and --top order and cut") {
  auto const names = [](std::string const& options) {
    std::string list;
    std::string const csv = answer("--csv --tree " + options);  // a line for each communicator, whatever the order
    for (std::size_t at = csv.find('\n') + 1; at < csv.size(); at = csv.find('\n', at) + 1) {
      list += csv.substr(at, csv.find(',', at) - at) + " ";
    }
    return list;
  };
  CHECK(names("--sort name") == "SELF W W_a1 W_s2.0 W_s2.0_d1 W_s2.2 W_s2.2_c1.0 ");
  CHECK(names("--sort calls") == "W W_s2.0 W_s2.0_d1 W_a1 W_s2.2 W_s2.2_c1.0 SELF ");
  CHECK(names("--sort volume") == "W W_a1 W_s2.2 W_s2.2_c1.0 W_s2.0 W_s2.0_d1 SELF ");
  CHECK(names("--sort bytes") == names("--sort volume"));
  CHECK(names("--sort size") == "W W_a1 W_s2.2 W_s2.2_c1.0 W_s2.0 W_s2.0_d1 SELF ");
  CHECK(names("--top 2") == "W W_a1 ");

  CHECK(grep(answer("--operations --sort calls --top 1"), "  size ") == "W_s2.0  size 2, ranks 0-1; Comm_split\n");
  CHECK(contains(answer("--operations --sort calls --top 1"),
                 "\n\nNot shown, beyond --top: 9 lines.\n"
                 "Communicators without calls in this selection, shown by --tree: 1.\n"));
  CHECK(contains(answer("--tree --top 3"), "\nNot shown, beyond --top: 4 communicators.\n"));
}

TEST_CASE("option --top means lines in every view") {
  for (std::string const view :
       {"--communicators", "--tree", "--operations", "--sizes", "--ranks", "--collectives", "--matrix", "--regions"}) {
    INFO(view);
    CHECK(lines(answer(view + " --csv --top 2")) == 1 + 2);
    CHECK(contains(answer(view + " --top 2"), "\nNot shown"));
    // All lines: nothing is hidden.
    CHECK_FALSE(contains(answer(view + " --top 100"), "\nNot shown"));
  }
  // Over all communicators: Allreduce 4 s, Send 3.75025 s, Recv 2.75125 s.
  std::string const three = answer("--operations --top 3");
  CHECK(contains(three, "\n  Send "));
  CHECK(contains(three, "\n  Recv "));
  CHECK(contains(three, "\n  Allreduce "));
  CHECK_FALSE(contains(three, "\n  Barrier "));
  CHECK_FALSE(contains(three, "\nW_s2"));
  // The ancestors have no numbers.
  std::string const tree = answer("--tree --top 1");
  CHECK(contains(tree, "\n  W_a1 "));
  CHECK(std::ranges::count(grep(tree, "MPI_COMM_WORLD"), '-') == 6);
}

TEST_CASE("text of the operations has 100 lines unless --top asks for others") {
  TemporaryProfile::Content content;
  for (int i = 1; i <= 150; ++i) {
    content.communicators.push_back(fmt::format("W_d{},W,Comm_dup,2,0-1,,,,0", i));
    content.operations.push_back(fmt::format("main,W_d{},2,0,Barrier,0,0,1,0,0,0.01{:03},0.01,0.01", i, i));
  }
  TemporaryProfile const files(content);
  std::string const operations = "--operations " + files.path().string();
  std::string const text = run_tool(operations).out;
  CHECK(contains(text, "\nNot shown: 50 lines. --top N shows more, --csv all.\n"));
  CHECK(contains(text, "\nW_d150  size 2"));
  CHECK(contains(text, "\nW_d51  size 2"));
  CHECK_FALSE(contains(text, "\nW_d50  size 2"));
  CHECK(contains(run_tool("--top 149 " + operations).out, "\nNot shown, beyond --top: 1 line.\n"));
  CHECK(contains(run_tool("--csv " + operations).out, "\nW_d1,"));
}

TEST_CASE("option --sort imbalance orders every list") {
  auto const first = [](std::string const& options) {
    std::string const csv = answer(options + " --csv --sort imbalance");
    std::size_t const begin = csv.find('\n') + 1;
    return csv.substr(begin, csv.find('\n', begin) - begin);
  };
  // SELF: 4, 2, 0 and 0 us: the largest is 2.67 times the mean. On W, Test-none is of one rank of four: 4 times.
  CHECK(first("--communicators").starts_with("SELF,"));
  CHECK(first("--tree").starts_with("SELF,"));
  CHECK(first("--operations").starts_with("SELF,"));
  CHECK(contains(first("--operations --top 1"), ",Test-none,"));
  CHECK(first("--operations --top 1").ends_with(",3"));
  // load balance: solve with halo 53.1 %, main 66.1 %, halo 83.3 %
  CHECK(first("--regions").starts_with("solve,"));
  CHECK(first("--ranks").starts_with("2,"));
}

TEST_CASE("option --time keeps the lines in whose range the slowest rank is") {
  // Among the 10 lines, Send on W_a1 has 2.00025 s, Recv 1.5005 s, Allreduce on W 1.5 s.
  CHECK(lines(answer("--operations --csv --time 1500ms-")) == 1 + 3);
  CHECK(lines(answer("--operations --csv --time 0-1.4999s")) == 1 + 7);
}

TEST_CASE("a file of the profile names the profile") {
  ToolRun const run = run_tool("operations.csv", MPISEE_THROUGH_SAMPLE);
  CHECK(run.exit_code == 0);
  CHECK(contains(run.out, "4 ranks on 2 hosts"));
}

TEST_CASE("names cannot send anything to the terminal") {
  TemporaryProfile const files({.communicators = {"W_d1,W,Comm_dup,2,0-1,,,\x1b]0;owned\x07,0"},
                                .operations = {"main,W_d1,2,0,S\x1b[2Jnd,0,0,1,0,0,1,1,1"},
                                .more_of_run = ",\"arguments\": [\"\\u001b[31m\", \"\\u202e\"]"});
  for (char const* options : {"", "--tree", "--sizes", "--csv", "--json", "--json --tree"}) {
    ToolRun const run = run_tool(std::string(options) + " '" + files.path().string() + "'");
    CHECK(run.exit_code == 0);
    CHECK_FALSE(contains(run.out, "\x1b"));
    CHECK_FALSE(contains(run.out, "\x07"));
    CHECK_FALSE(contains(run.out, "\xe2\x80\xae"));
  }
  CHECK(contains(run_tool("--tree '" + files.path().string() + "'").out, "Comm_dup, \"\\x1b]0;owned\\x07\"\n"));
}

TEST_CASE("a broken profile gets one line and exit code 1") {
  TemporaryProfile const files(
      {.operations = {"main,W,2,0,Send,8,15,1,8,0,0.5,0.5,0.5", "main,W,2,1,Send,8,15,1,8,0,0.5,0.5,0.5"}});
  auto const run = [&] { return run_tool("'" + files.path().string() + "'"); };
  std::string const prefix = "mpisee-through: " + files.path().string() + "/";

  SECTION("no profile at all") {
    check_refused(run_tool("missing", sample_parent), 1, "mpisee-through: missing: No such file or directory");
  }
  SECTION("missing file") {
    files.remove("communicators.csv");
    check_refused(run(), 1, prefix + "communicators.csv: No such file or directory");
  }
  SECTION("cut off in a line") {
    std::string const whole = files.read("operations.csv");
    files.write("operations.csv", whole.substr(0, whole.size() - 5));
    check_refused(run(), 1, prefix + "operations.csv:3: cut off in the middle of the line");
  }
  SECTION("cut off at a line") {
    std::string const whole = files.read("operations.csv");
    files.write("operations.csv", whole.substr(0, whole.rfind("main")));
    check_refused(run(), 1, prefix + "operations.csv:2: cut off after 1 of 2 rows");
  }
  SECTION("newer") {
    files.replace("run.json", "\"schema_version\": 1", "\"schema_version\": 7");
    check_refused(run(), 1,
                  prefix + "run.json:2: schema_version is 7, newer than 1, the newest that this mpisee-through reads");
  }
  SECTION("missing column") {
    files.replace("operations.csv", "region,comm,", "region,com,");
    check_refused(run(), 1, prefix + "operations.csv:1: no column \"comm\" in the header");
  }
  SECTION("no number, in a row that was not asked for") {
    files.replace("operations.csv", "1,8,0,0.5", "1,8,\x1b[31m,0.5");
    check_refused(run_tool("--rank 1 '" + files.path().string() + "'"), 1,
                  prefix + "operations.csv:2: bytes_received is not a whole number: \"\\x1b[31m\"");
  }
}

TEST_CASE("a selection that nothing answers to gets one line and exit code 1") {
  auto const run = [](std::string const& options) { return run_tool(options + " sample", sample_parent); };
  check_refused(run("--comm 'X*'"), 1, "mpisee-through: --comm: no communicator of the profile matches \"X*\"");
  check_refused(run("--op Sned"), 1, "mpisee-through: --op: no operation of the profile matches \"Sned\"");
  check_refused(run("--region 'x*'"), 1, "mpisee-through: --region: no region of the profile matches \"x*\"");
  check_refused(run("--rank 0-7"), 1, "mpisee-through: --rank: no rank 7, the run had ranks 0 to 3");
}

TEST_CASE("a wrong command line gets one line and exit code 2") {
  auto const refused = [](std::string const& options, std::string const& message) {
    check_refused(run_tool(options, sample_parent), 2, "mpisee-through: " + message + " (--help explains)");
  };
  refused("", "PROFILE is required");
  refused("--colour sample", "there is no option --colour; did you mean --color?");
  refused("--sort speed sample", "--sort: \"speed\" is not one of time, calls, volume, name, size, imbalance");
  refused("--top 0 sample", "--top: \"0\" is not a number from 1 on");
  refused("--top ten sample", "--top: \"ten\" is not a number from 1 on");
  refused("--rank 3-1 sample", "--rank: \"3-1\" is no list of ranks like 0-3,8 or 0-192:64");
  refused("--rank '' sample", "--rank: \"\" is no list of ranks like 0-3,8 or 0-192:64");
  refused("--tree --sizes sample", "--tree excludes --sizes");
  refused("--csv --json sample", "--csv excludes --json");
  refused("--matrix --tree sample", "--tree excludes --matrix");
  refused("--matrix-csv x --regions sample", "--regions excludes --matrix-csv");
  refused("--matrix --sort time sample", "--matrix excludes --sort");
  refused("--collectives --sizes sample", "--collectives excludes --sizes");
  refused("--regions --comm W sample", "--regions excludes --comm");
  refused("--by bytes sample", "--by requires --matrix");
  refused("--from 0 sample", "--from requires --matrix or --when");
  refused("--matrix --by time sample", "--by: \"time\" is not one of bytes, messages");
  refused("--matrix --class tcp sample", "--class: \"tcp\" is not one of p2p, rma, internal, network, estimate");
  refused("--treematch '' sample", "--treematch: \"\" is no name of a file");
  refused("--matrix-image a.png sample", "--matrix-image: \"a.png\" does not end in .svg");
  refused("sample --comm", "--comm: 1 required GLOB missing");
  refused("--kind talk sample",
          "--kind: \"talk\" is not one of p2p, collective, completion, communicator, one-sided, file, other");
  refused("--size 4-1 sample", "--size: \"4-1\" is no range of sizes like 1k-64k, 8 or 1m-");
  refused("--color blue sample", "--color: \"blue\" is not one of auto, always, never");
  refused("--operations --time 1 sample", "--time: \"1\" is no range of times like 10ms-1s or 2-");
  refused("--width 0 sample", "--width: \"0\" is not a number from 1 on");
}

TEST_CASE("a view refuses what it cannot apply") {
  auto const refused = [](std::string const& options, std::string const& message) {
    check_refused(run_tool(options + " sample", sample_parent), 2, "mpisee-through: " + message + " (--help explains)");
  };
  refused("--top 3", "--top requires --operations or another view");
  refused("--sort name", "--sort requires --operations or another view");
  refused("--tree --ranks", "--tree excludes --ranks");
  refused("--operations --communicators", "--communicators excludes --operations");
  refused("--ranks --sizes", "--ranks excludes --sizes");
  refused("--census --top 3", "--census excludes --top");
  refused("--census --op Send", "--census excludes --op");
  for (char const* option : {"--comm W", "--op Send", "--kind p2p", "--size 8"}) {
    std::string const text = option;
    refused("--regions " + text, "--regions excludes " + text.substr(0, text.find(' ')));
  }
  refused("--ranks --time 1-", "--time requires --operations");
  refused("--operations --exclusive", "--exclusive requires --regions");
  refused("--matrix --kind p2p", "--matrix excludes --kind");
  refused("--treematch x --kind p2p", "--kind excludes --treematch");
  for (char const* option : {"--top 3", "--csv", "--json"}) {
    std::string const text = option;
    refused("--matrix-csv x " + text, text.substr(0, text.find(' ')) + " requires --matrix");
  }
}

TEST_CASE("options --help and --version answer without a profile") {
  ToolRun const help = run_tool("--help");
  CHECK(help.exit_code == 0);
  CHECK(help.err.empty());
  for (char const* option :
       {"PROFILE",     "--communicators", "--census",    "--operations",   "--ranks",   "--kind",     "--size",
        "--width",     "--color",         "--tree",      "--sizes",        "--comm",    "--op",       "--rank",
        "--region",    "--regions",       "--matrix",    "--collectives",  "--by",      "--class",    "--from",
        "--to",        "--matrix-csv",    "--treematch", "--matrix-image", "--sort",    "--top",      "--csv",
        "--exclusive", "--json",          "--version",   "Mean, Min, Max", "Examples:", "Exit codes:"}) {
    CHECK(contains(help.out, option));
  }
  ToolRun const version = run_tool("--version");
  CHECK(version.exit_code == 0);
  CHECK(version.out.rfind("mpisee-through ", 0) == 0);
  CHECK(lines(version.out) == 1);
}

TEST_CASE("output that cannot be written is an error") {
  ToolRun const run = run_tool("sample >/dev/full", sample_parent);
  CHECK(run.exit_code == 1);
  CHECK(run.err == "mpisee-through: cannot write the output\n");
}

TEST_CASE("memory does not grow with the number of rows") {
  // Both files are longer than the parser's window, so that it is full in both. 400,000 more rows, were they kept,
  // would take 28 MB as text alone.
  auto const peak_kib = [](std::uint32_t ranks) {
    TemporaryProfile const files({.ranks = ranks});
    std::ofstream out(files.file("operations.csv"));
    out << commprof::schema::operations.header << '\n';
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      for (int size = 0; size < 10; ++size) {
        out << "main,W," << ranks << ',' << rank << ",Allreduce," << (1 << size) << ',' << (2 << size) - 1
            << ",123456,12345678,0,0.123456789,0.000000123,0.000123456,solver+0x4a2f\n";
      }
    }
    out.close();
    files.replace("run.json", "\"operations.csv\": {\"rows\": 0}",
                  fmt::format("\"operations.csv\": {{\"rows\": {}}}", ranks * 10));
    ToolRun const run = run_tool("--sizes '" + files.path().string() + "'");
    CHECK(run.exit_code == 0);
    CHECK(contains(run.out, "512-1,023 B"));
    return run.peak_kib;
  };
  long const small = peak_kib(50'000);
  long const large = peak_kib(90'000);
  CHECK(large - small < 12 * 1024);  // of which 40,000 more ranks take 100 bytes each
}
