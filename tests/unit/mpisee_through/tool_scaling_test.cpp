// Runs mpisee-through scaling.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "files/json.hpp"
#include "support/run_tool.hpp"
#include "support/temporary_profile.hpp"

using Catch::Contains;
using mpisee_through::Json;

namespace {

ToolRun run_scaling(std::string const& arguments) {
  return run_shell("mpisee-through scaling " + arguments, sample_parent / "sample-scaling");
}

std::string text_of(std::filesystem::path const& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The sample runs as runs of two commits: the later commit has one more number of ranks.
class TwoCommits {
 public:
  TwoCommits() {
    add("old", "ranks-1");
    add("new", "ranks-1");
    add("new", "ranks-2");
    // A day later, and half as fast.
    TemporaryProfile const& home = directory_;
    for (char const* run : {"new/ranks-1", "new/ranks-2"})
      home.replace(std::string(run) + "/run.json", "2026-11-21", "2026-11-22");
    home.replace("new/ranks-1/run.json", "\"wall_s\": 8.1", "\"wall_s\": 16.2");
    home.write("new/commit", "abc <1>\n");
  }

  [[nodiscard]] ToolRun run(std::string const& arguments) const {
    return run_tool("scaling --history . " + arguments, directory_.path());
  }
  [[nodiscard]] std::filesystem::path const& path() const { return directory_.path(); }

 private:
  void add(std::string const& commit, std::string const& run) const {
    std::filesystem::create_directories(directory_.path() / commit);
    std::filesystem::copy(sample_parent / "sample-scaling" / run, directory_.path() / commit / run);
  }

  TemporaryProfile directory_;
};

}  // namespace

TEST_CASE("scaling --html and --badge write files that stand alone") {
  TemporaryProfile const directory;
  std::filesystem::path const page = directory.path() / "page.html", badge = directory.path() / "badge.svg";
  CHECK(run_scaling("ranks-* --html " + page.string() + " --badge " + badge.string()).exit_code == 0);
  std::string const html = text_of(page);
  CHECK_THAT(html, Catch::StartsWith("<!DOCTYPE html>") && Contains("<h1>Scaling of ./heat</h1>"));
  CHECK_THAT(html, !Contains("<script") && !Contains("http") && !Contains("nan"));
  CHECK_THAT(html, Contains("<title>8 ranks: 5.79 times as fast, 72.3 % of the ideal, 1.400 s</title>"));
  CHECK_THAT(html, Contains("<title>W_s2.* on 8 ranks: 2.7 %</title>") && !Contains("History"));
  CHECK_THAT(text_of(badge), Contains("parallel efficiency on 8 ranks: 73 %"));
}

TEST_CASE("scaling --history goes from commit to commit") {
  TwoCommits const commits;
  ToolRun const run = commits.run("");
  CHECK(run.err.empty());
  CHECK_THAT(run.out, Catch::StartsWith(
                          "Start                 Commit   Ranks  Runs  Wall time    Change  Parallel  Balance   Comm.\n"
                          "2026-11-21T10:01:00Z  old          1     1    8.100 s         -    97.5 %  100.0 %  97.5 %\n"
                          "2026-11-22T10:01:00Z  abc <1>      1     1    16.20 s  +100.0 %"));
  CHECK_THAT(run.out, Contains("\nScaling    strong"));  // of the latest commit
  CHECK_THAT(commits.run("--csv").out, Catch::StartsWith("start,commit,ranks,runs,wall_s,global_efficiency,") &&
                                           Contains("\n2026-11-22T10:01:00Z,abc <1>,1,1,16.2,"));
  Json const first = Json::parse(commits.run("--json").out)["commits"][0];
  CHECK((first["commit"] == "old" && first["start"] == "2026-11-21T10:01:00Z" && first["points"][0]["runs"] == 1));
  CHECK(commits.run("--html page.html --badge badge.svg").exit_code == 0);
  CHECK_THAT(text_of(commits.path() / "page.html"),
             Contains("<title>abc &lt;1&gt; on 1 rank: 16.20 s</title>") && Contains(">History</h2>"));
  CHECK_THAT(text_of(commits.path() / "badge.svg"), Contains("on 2 ranks: 93 %"));  // 3.95 s of 4.25 s
}

TEST_CASE("scaling says what it cannot do") {
  struct Case {
    char const* arguments;
    int exit_code;
    char const* err;
  };
  Case const cases[] = {
      {"ranks-1 ranks-1", 1, "mpisee-through: all runs have 1 rank: scaling needs runs on different numbers of ranks"},
      {"ranks-1 nowhere", 1, "mpisee-through: nowhere: No such file or directory"},
      {"--history ranks-1", 1, "mpisee-through: ranks-1: has no folders with profiles, one folder for each commit"},
      {"ranks-1", 2,
       "mpisee-through scaling: PROFILE: scaling needs two profiles or more, or --history (--help explains)"},
      {"ranks-1 ranks-2 --strong --weak", 2, "mpisee-through scaling: --strong excludes --weak (--help explains)"},
      {"ranks-1 ranks-2 --csv --json", 2, "mpisee-through scaling: --csv excludes --json (--help explains)"},
      {"ranks-1 --history .", 2, "mpisee-through scaling: --history excludes PROFILE (--help explains)"},
      {"ranks-1 ranks-2 --html ranks-1/run.json", 1,
       "mpisee-through: ranks-1/run.json: this file is part of the profile"},
  };
  for (Case const& one : cases) {
    INFO(one.arguments);
    check_refused(run_scaling(one.arguments), one.exit_code, one.err);
  }
}
