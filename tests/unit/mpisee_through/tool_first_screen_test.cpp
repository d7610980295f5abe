// The first page of the built mpisee-through, and its text on a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "files/visible_text.hpp"
#include "support/run_tool.hpp"
#include "support/temporary_profile.hpp"

namespace {

std::string shown(std::string const& line) {
  ToolRun const run = run_shell(line, sample_parent);
  CHECK(run.exit_code == 0);
  CHECK(run.err.empty());
  return run.out;
}

std::vector<std::string> lines_of(std::string const& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// A run with more regions and communicators than fit, and with five findings.
TemporaryProfile::Content crowded() {
  TemporaryProfile::Content content{
      .ranks = 2, .peers = std::vector<std::string>(), .regions = std::vector<std::string>()};
  for (int i = 1; i <= 9; ++i) {
    content.communicators.push_back(fmt::format("W_d{},W,Comm_dup,2,0-1,,,,0", i));
    content.operations.push_back(fmt::format("main,W_d{},2,0,Test-none,0,0,500000,0,0,{},0,1", i, 1 + 0.125 * i));
    content.regions->push_back(fmt::format("region_with_a_long_name_{},0,1,1,0.5", i));
  }
  return content;
}

}  // namespace

TEST_CASE("the first page of a part") {
  std::string const part = shown("mpisee-through --comm W_a1 sample");
  CHECK_FALSE(contains(part, "Efficiency"));  // covers all calls of the ranks
  CHECK(contains(part, "\nW_a1             4    48.2 %"));
  CHECK_FALSE(contains(part, "\nW   "));
  std::string const ranks = shown("mpisee-through --rank 0-1 sample");
  // 5.75075 and 6.499748 s of 10 s
  CHECK(contains(ranks, "\nWhole run                61.3 %     94.2 %   65.0 %  38.7 %  10.00 s\n"));
  CHECK(contains(ranks, "\n2 of 4 ranks on 1 host, "));
  CHECK(contains(shown("mpisee-through --rank 0 --op Recv sample"), "No calls in this selection.\n"));
}

TEST_CASE("the first page fits into 51 lines, a few more on a narrow terminal, and the width that there is") {
  TemporaryProfile const files(crowded());
  for (std::size_t const width : {60, 80, 120}) {
    auto const lines = lines_of(shown(fmt::format("COLUMNS={} mpisee-through '{}'", width, files.path().string())));
    CHECK(lines.size() >= 24);
    CHECK(lines.size() <= (width < 80 ? 53 : 51));
    for (std::string const& line : lines) {
      bool const is_command = contains(line, "   More: ");  // a command to be copied, in one piece
      if (!is_command) CHECK(mpisee_through::display_width(line) <= width);
    }
  }
}

TEST_CASE("what does not fit is counted") {
  TemporaryProfile const files(crowded());
  std::string const page = shown("mpisee-through '" + files.path().string() + "'");
  CHECK(contains(page, "  and 5 regions: --regions\n"));
  // 1.125, 1.25 and 1.375 s of 14.625 s
  CHECK(contains(page, "and 3 more with 25.6 % of the MPI time: --communicators\n"));
  CHECK(contains(page, "\n5. "));
  CHECK_FALSE(contains(page, "\n6. "));
}

TEST_CASE("text is ASCII where the locale is no UTF-8") {
  std::string const line = "mpisee-through sample";
  for (char const* locale :
       {"LC_ALL=C", "LC_ALL= LC_CTYPE=POSIX LANG=C.UTF-8", "LC_ALL= LANG=de_DE.ISO-8859-1", "LC_ALL= LANG="}) {
    std::string const page = shown(std::string(locale) + " " + line);
    CHECK(std::ranges::all_of(page, [](char character) { return static_cast<unsigned char>(character) < 0x80; }));
    CHECK(contains(page, "W                4    38.9 %   1.312 s  750.0 ms   1.750 s  ################\n"));
    CHECK(contains(page, "x Comm."));
    CHECK(contains(page, "1.500 us"));
  }
  CHECK(shown("LC_ALL= LANG=C.UTF-8 " + line) == shown("LC_ALL=de_DE.utf8 " + line));

  TemporaryProfile const files({.communicators = {"W_d1,W,Comm_dup,2,0-1,,,größe,0"}});
  std::string const path = " '" + files.path().string() + "'";
  CHECK(contains(shown("LC_ALL=C mpisee-through --tree" + path), "Comm_dup, \"gr\\xc3\\xb6\\xc3\\x9fe\"\n"));
  CHECK(contains(shown("LC_ALL=C mpisee-through --tree --csv" + path), "größe"));  // CSV and JSON are UTF-8 everywhere
}

TEST_CASE("colours are for terminals") {
  CHECK_FALSE(contains(shown("mpisee-through sample"), "\x1b"));
  CHECK(contains(shown("mpisee-through --color always sample"), "\x1b[1mFindings\x1b[0m"));
  CHECK_FALSE(contains(shown("mpisee-through --color always --json sample"), "\x1b"));
  // script(1) runs a command on a terminal.
  std::string const on_terminal = "script -qec 'mpisee-through sample' /dev/null";
  CHECK(contains(shown("TERM=xterm " + on_terminal), "\x1b[1mFindings\x1b[0m"));
  CHECK_FALSE(contains(shown("TERM=xterm NO_COLOR=1 " + on_terminal), "\x1b"));
  CHECK_FALSE(contains(shown("TERM=dumb " + on_terminal), "\x1b"));
}

TEST_CASE("columns are wider on a wide terminal") {
  CHECK(contains(shown("mpisee-through --communicators --width 200 sample"),
                 "  Cart_create, cart 2x2 periods 10, \"grid, fine\"\n"));
  CHECK(contains(shown("mpisee-through --width 60 sample"), "\ninclusive  Parallel "));
}

TEST_CASE("what is selected in views of communicators and ranks") {
  CHECK(
      shown("mpisee-through --census --csv --comm 'W_s*' sample") ==
      "size,created_by,communicators,freed,time_s\n1,Comm_create,1,1,0\n2,Comm_dup,1,1,0.25\n2,Comm_split,2,0,1.499\n");
  CHECK(contains(
      shown("mpisee-through --communicators --csv --comm W_s2.2 sample"),
      fmt::format(",0.75,{},0.375,0.25,0.5,{},0.03125,{},\n", 0.75 / 13.500506, 0.75 / 40.5, 0.5 / 0.375 - 1)));
  CHECK(shown("mpisee-through --ranks --csv --comm W_a1 --rank 2-3 --size 64k --sort name sample") ==
        "rank,host,wall_s,mpi_s,mpi_share,calls,bytes_sent,bytes_received,time_s,outside_mpi_s,wait_s,cpu_s,queued_s,"
        "threads,max_rss_bytes,move_s\n" +
            fmt::format("2,node2,10,2.500504,0.2500504,100,0,6553600,1.5,{},,,,1,,\n", 10 - 2.500504) +
            fmt::format("3,node2,10.5,3.2505,0.3095714285714286,100,0,6553600,1.25,{},,,,1,,\n", 10.5 - 3.2505));
}

TEST_CASE("options --size and --kind select in every view of calls") {
  CHECK(contains(shown("mpisee-through --operations --csv --size 1k-4k sample"), "\nW_s2.0_d1,2,0-1,Comm_dup,,,"));
  CHECK(lines_of(shown("mpisee-through --operations --csv --size 1k-4k sample")).size() ==
        4);  // Bcast twice, Allgather
  CHECK(lines_of(shown("mpisee-through --operations --csv --kind p2p sample")).size() ==
        5);  // Send, Recv, Sendrecv, Iprobe
  CHECK(lines_of(shown("mpisee-through --operations --csv --kind completion --kind collective sample")).size() == 7);
  CHECK(shown("mpisee-through --matrix --csv --size 64k- sample") ==
        "src,dst,messages,bytes\n0,2,100,6553600\n1,3,100,6553600\n");
}

namespace {

// The completions of the last word of a command line.
std::string completed(std::string const& words) {
  return shown(
      "mpisee-through --bash-completion >completion.$$; bash -c '. ./completion.'$$'; "
      "COMP_WORDS=(mpisee-through " +
      words +
      "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _mpisee_through 2>/dev/null; "
      "echo ${COMPREPLY[@]}'; rm completion.$$");
}

}  // namespace

namespace {

// The options that --help has a line for.
std::vector<std::string> options_in(std::string const& help) {
  std::vector<std::string> options;
  for (std::size_t at = help.find("--"); at != std::string::npos; at = help.find("--", at + 1)) {
    bool const is_listed = help[at - 1] == ',' || help.substr(at - 3, 3) == "\n  ";
    if (is_listed) options.push_back(help.substr(at, help.find_first_of(" ,\n", at) - at));
  }
  return options;
}

std::string const manuals = MPISEE_THROUGH_MANUALS;  // empty: built without help2man

}  // namespace

TEST_CASE("the completion knows every option of every command") {
  for (std::string const command : {"", "report ", "compare "}) {
    std::string const help = shown("mpisee-through " + command + "--help");
    REQUIRE(contains(help, "\n  --comm GLOB"));
    std::string all = " " + completed(command + "--");
    all.back() = ' ';
    for (std::string const& option : options_in(help)) {
      INFO(command << option);
      CHECK(contains(all, " " + option + " "));
    }
  }
}

TEST_CASE("each command has a manual page with every option") {
  if (manuals.empty()) return;
  for (std::string const command : {"", "report", "compare"}) {
    std::string const page =
        shown("cat " + manuals + "/mpisee-through" + (command.empty() ? "" : "-" + command) + ".1");
    CHECK(contains(page, ".TH MPISEE-THROUGH"));
    for (std::string const& option : options_in(shown("mpisee-through " + command + " --help"))) {
      std::string escaped;
      for (char const character : option) escaped += character == '-' ? std::string("\\-") : std::string(1, character);
      INFO(command << option);
      CHECK(contains(page, escaped));
    }
    if (command.empty()) CHECK(contains(page, ".SH FINDINGS"));
  }
}

TEST_CASE("the completion knows which command it completes") {
  CHECK(completed("compare --corr") == "--correlate\n");
  CHECK(completed("report --outp") == "--output\n");
  CHECK(completed("report --corr") == "\n");
  CHECK(contains(completed("comp"), "compare\n"));
  CHECK(completed("sample --rank -") == "\n");  // a word of its own
  if (MPISEE_THROUGH_HAS_NETWORK) CHECK(contains(completed("links --fabric net"), "network\n"));
}
