// Runs the built mpisee-through with the options about messages, collectives and regions.
#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "profile/schema.hpp"
#include "support/run_tool.hpp"
#include "support/temporary_profile.hpp"

namespace {

// Runs the tool on the sample, requires an answer, and returns what follows the first occurrence of a text in it.
std::string answer(std::string const& options, std::string const& from) {
  ToolRun const run = run_tool(options + " sample", sample_parent);
  CHECK(run.exit_code == 0);
  CHECK(run.err.empty());
  std::size_t const begin = run.out.find(from);
  return begin == std::string::npos ? "" : run.out.substr(begin);
}

void check_refused(ToolRun const& run, std::string const& message) {
  check_refused(run, 1, "mpisee-through: " + message);
}

}  // namespace

TEST_CASE("what is selected in the matrix") {
  CHECK(answer("--matrix --by messages --class internal --op 'b*' --comm W", "From") ==
        "From\\To  0  1  2  3  All\n"
        "      0  -  2  2  -    4\n"
        "      1  2  -  -  2    4\n"
        "      2  2  -  -  2    4\n"
        "      3  -  2  2  -    4\n"
        "    All  4  4  4  4   16\n");
  CHECK(answer("--matrix --top 1 --region solve", "From") ==
        "From  To  Messages      Bytes  Of all bytes\n"
        "   0   2       100  6.250 MiB        50.0 %\n"
        "\n"
        "Not shown: 1 pair. --top N shows more, --matrix-csv FILE writes all.\n");
  CHECK(answer("--matrix --class rma", "No messages") == "No messages in this selection.\n");
  CHECK(answer("--collectives --op Send", "No coll") == "No collective operations in this selection.\n");
}

TEST_CASE("option --matrix --sizes shows each size of message of the busiest pairs") {
  CHECK(answer("--matrix --sizes --top 1 --from 0 --to 1 --comm 'W_*'", "All pairs") ==
        "All pairs\n"
        "  Size             Messages      Bytes  Part of bytes\n"
        "  1 KiB to <2 KiB        12  17.58 KiB  ################\n"  // 18,000 of 22,096 B is 16.3 of 20
        "  4 KiB to <8 KiB         1  4.000 KiB  ####\n"
        "\n"
        "From 0 to 1\n"
        "  Size             Messages      Bytes  Part of bytes\n"
        "  1 KiB to <2 KiB        12  17.58 KiB  ################\n"
        "  4 KiB to <8 KiB         1  4.000 KiB  ####\n");
}

TEST_CASE("what is selected in the matrix as CSV") {
  std::string const pairs = "src,dst,messages,bytes\n0,2,110,6553760\n1,3,110,6553760\n";
  CHECK(answer("--matrix --csv --comm W_a1", "") == pairs);
  CHECK(answer("--matrix --csv --sizes --comm W_a1 --rank 3", "") ==
        "src,dst,size_min,size_max,messages,bytes\n1,3,16,31,10,160\n1,3,65536,131071,100,6553600\n");
}

TEST_CASE("options --matrix-csv, --treematch and --matrix-image write files and print nothing") {
  TemporaryProfile const directory;
  std::string const options = "--comm W_a1 --matrix-csv '" + directory.file("a.csv") + "' --treematch '" +
                              directory.file("a.mat") + "' --matrix-image '" + directory.file("a.svg") + "' ";
  for (int time = 0; time < 2; ++time)
    CHECK(answer(options, "").empty());  // the second run overwrites the files of the first
  CHECK(directory.read("a.csv") == "src,dst,messages,bytes\n0,2,110,6553760\n1,3,110,6553760\n");
  CHECK(directory.read("a.mat") == "0 0 6553760 0\n0 0 0 6553760\n6553760 0 0 0\n0 6553760 0 0\n");
  CHECK(directory.read("a.svg").starts_with("<svg "));
  CHECK_FALSE(answer("--matrix " + options, "From").empty());
  std::string const nowhere = directory.file("missing/a");
  check_refused(run_tool("--matrix --matrix-csv '" + nowhere + "' sample", sample_parent),
                nowhere + ": No such file or directory");
  check_refused(run_tool("--treematch /dev/full sample", sample_parent), "/dev/full: No space left on device");
}

TEST_CASE("what is selected in the regions") {
  std::string const csv = answer("--regions --csv --rank 0 --region 'solve*'", "");
  CHECK(csv ==
        "region,depth,ranks,entered,wall_s,wall_mean_s,wall_max_s,wall_with_inner_s,mpi_s,mpi_share,"
        "parallel_efficiency,load_balance,communication_efficiency,inclusive_wall_mean_s,inclusive_wall_max_s,"
        "inclusive_mpi_s,inclusive_mpi_share,inclusive_parallel_efficiency,inclusive_load_balance,"
        "inclusive_communication_efficiency\n"
        "solve,0,1,10,4.5,4.5,4.5,6,2,0.4444444444444444,0.5555555555555556,1,0.5555555555555556,"
        "6,6,2,0.3333333333333333,0.6666666666666666,1,0.6666666666666666\n"
        "solve/halo,1,1,20,1.5,1.5,1.5,1.5,0,0,1,1,1,1.5,1.5,0,0,1,1,1\n");
  CHECK(answer("--regions --csv --exclusive --rank 0 --region 'solve*'", "") == csv);  // CSV has both kinds of times
}

TEST_CASE("option --region selects calls") {
  std::string const solve = answer("--operations --csv --region solve", "");
  CHECK(solve.find(",Send,4,200,13107200,0,3.75,") != std::string::npos);
  CHECK(solve.find("Allreduce") == std::string::npos);
  CHECK_FALSE(answer("--operations --region solve/halo", "No calls in this selection.").empty());
}

TEST_CASE("an old profile has no messages and no regions to show, and everything else") {
  TemporaryProfile const files({.operations = {"main,W,2,0,Send,8,15,1,8,0,0.5,0.5,0.5"}});
  std::string const profile = " '" + files.path().string() + "'";
  CHECK(run_tool(profile).exit_code == 0);
  CHECK(run_tool("--region main" + profile).exit_code == 0);
  check_refused(run_tool("--matrix" + profile),
                files.file("peers.csv") + ": this profile was written without who talks to whom");
  check_refused(run_tool("--regions" + profile),
                files.file("regions.csv") + ": this profile was written without times of regions");
}

TEST_CASE("names in the new files cannot send anything to the terminal") {
  TemporaryProfile const files(
      {.peers = {{"\x1b[2J,\x1b[31m,p2p,0,1,8,15,1,8,\x1b"}}, .regions = {{"\x1b[2J/x,0,1,1,0"}}});
  for (char const* options : {"--matrix", "--regions", "--regions --csv", "--regions --json"}) {
    ToolRun const run = run_tool(std::string(options) + " '" + files.path().string() + "'");
    CHECK(run.exit_code == 0);
    CHECK(run.out.find('\x1b') == std::string::npos);
  }
}

TEST_CASE("memory for the matrix does not grow with the number of rows") {
  // Both files are longer than the parser's window. 1,000,000 more rows, were they kept, would take 60 MB as text
  // alone.
  auto const peak_kib = [](int rounds) {
    TemporaryProfile const files({.ranks = 100});
    std::ofstream out(files.file("peers.csv"));
    out << commprof::schema::peers.header << '\n';
    for (int round = 0; round < rounds; ++round) {
      for (int pair = 0; pair < 10'000; ++pair) {
        out << "solve/" << round << ",W_d" << round << ",internal," << pair / 100 << ',' << pair % 100
            << ",1024,2047,123456,123456789,Allreduce,64,127\n";
      }
    }
    out.close();
    ToolRun const run = run_tool("--matrix --sizes --region 'solve/*' '" + files.path().string() + "'");
    CHECK(run.exit_code == 0);
    CHECK(run.out.find("between 10,000 pairs of ranks") != std::string::npos);
    return run.peak_kib;
  };
  long const small = peak_kib(100);
  long const large = peak_kib(200);
  CHECK(large - small < 8 * 1024);
}
