// Several profiles at once, and the progress that a terminal shows while one is read.
#include <catch2/catch.hpp>
#include <string>

#include "support/run_tool.hpp"
#include "support/temporary_profile.hpp"

namespace {

std::string out_of(std::string const& arguments) {
  ToolRun const run = run_tool(arguments, sample_parent);
  CHECK(run.exit_code == 0);
  CHECK(run.err.empty());
  return run.out;
}

// Prefixes every line with a text.
std::string prefixed(std::string const& prefix, std::string const& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t const end = text.find('\n', at) + 1;
    result += prefix + text.substr(at, end - at);
    at = end;
  }
  return result;
}

}  // namespace

TEST_CASE("several profiles are shown one after the other") {
  for (char const* view : {"", "--tree", "--sizes --op Send", "--collectives"}) {
    std::string const options = std::string(view) + " ";
    CHECK(out_of(options + "sample sample-tuned") ==
          out_of(options + "sample") + "\n\n" + out_of(options + "sample-tuned"));
  }
}

TEST_CASE("several profiles as CSV are one table, as JSON one list") {
  std::string const first = out_of("--csv sample");
  std::string const second = out_of("--csv sample-tuned");
  std::size_t const header = first.find('\n') + 1;
  CHECK(out_of("--csv sample sample-tuned") == "profile," + first.substr(0, header) +
                                                   prefixed("sample,", first.substr(header)) +
                                                   prefixed("sample-tuned,", second.substr(header)));
  std::string json = out_of("--json sample");
  json.pop_back();
  CHECK(out_of("--json sample sample") == "[" + json + ",\n" + json + "]\n");
}

TEST_CASE("of several profiles all have to be readable, and files are of one") {
  ToolRun const run = run_tool("sample nowhere", sample_parent);
  CHECK(run.exit_code == 1);
  CHECK(run.out.empty());
  CHECK(run.err == "mpisee-through: nowhere: No such file or directory\n");
  ToolRun const file = run_tool("sample sample --treematch x", sample_parent);
  CHECK(file.exit_code == 2);
  CHECK(file.err == "mpisee-through: --treematch: takes one PROFILE (--help explains)\n");
}

TEST_CASE("reading for more than a second shows progress on a terminal, and leaves nothing there") {
  TemporaryProfile const files({.operations = {"main,W,2,0,Send,8,15,3,24,0,0.5,0.125,0.25"}});
  std::string const table = files.read("operations.csv");
  // Reads from a pipe that pauses after the header until the progress is seen; script(1) provides the terminal.
  std::string const slow =
      "mv operations.csv table; mkfifo operations.csv; (head -n 1 table; sleep 1.1; tail -n +2 table) > operations.csv "
      "& ";
  ToolRun const run = run_shell(slow + "script -qec 'mpisee-through . --csv' typescript </dev/null", files.path());
  CHECK(run.exit_code == 0);
  std::string const progress = "\rReading operations.csv: 0 MB";
  std::string const shown = run.out;
  REQUIRE(shown.find(progress) != shown.npos);
  std::string const blanks(progress.size() - 1, ' ');
  std::size_t const cleared = shown.find("\r" + blanks + "\r");
  REQUIRE(cleared != shown.npos);
  CHECK(shown.find("comm,comm_size") > cleared);
  CHECK(shown.find("Reading", cleared) == shown.npos);
}

TEST_CASE("no progress without a terminal") {
  TemporaryProfile const files({.operations = {"main,W,2,0,Send,8,15,3,24,0,0.5,0.125,0.25"}});
  std::string const slow =
      "mv operations.csv table; mkfifo operations.csv; (head -n 1 table; sleep 1.1; tail -n +2 table) > operations.csv "
      "& ";
  ToolRun const run = run_shell(slow + "mpisee-through . --csv", files.path());
  CHECK(run.exit_code == 0);
  CHECK(run.err.empty());
}
