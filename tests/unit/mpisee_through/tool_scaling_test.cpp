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

// The data of the page that a tool writes whose page has nothing else.
Json page_of(std::string const& arguments, std::filesystem::path const& directory) {
  TemporaryProfile const files;
  std::filesystem::path const page = files.path() / "page.html";
  std::string const tool = MPISEE_THROUGH_WITH_DATA_PAGE;
  CHECK(run_shell(tool + " scaling " + arguments + " --html " + page.string(), directory).exit_code == 0);
  std::string const text = text_of(page), end = "</script>";
  std::size_t const begin = text.find('{');
  return Json::parse(text.substr(begin, text.rfind(end) - begin));
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

TEST_CASE("the data of the page are the document of --json and the tables of text") {
  TemporaryProfile const directory;
  std::filesystem::path const badge = directory.path() / "badge.svg";
  std::string const runs = "ranks-1 ranks-2 ranks-4 ranks-8";
  Json const page = page_of(runs + " --badge " + badge.string(), sample_parent / "sample-scaling");
  CHECK(page["scaling"] == Json::parse(run_scaling(runs + " --json").out));
  CHECK(page["program"] == "./heat");
  CHECK(page["history"].is_null());
  CHECK(page["values"]["lines"].size() == 4);
  CHECK(page["shares"]["columns"][0]["key"] == "ranks");
  CHECK(page["shares"]["lines"][3][0] == 8);
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
  Json const page = page_of("--history . --badge badge.svg", commits.path());
  CHECK(page["history"]["commits"] == Json::parse(commits.run("--json").out)["commits"]);
  CHECK(page["history"]["table"]["lines"].size() == 3);
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
  };
  for (Case const& one : cases) {
    INFO(one.arguments);
    check_refused(run_scaling(one.arguments), one.exit_code, one.err);
  }
}

TEST_CASE("scaling writes no page over a file of a profile") {
  std::string const tool = MPISEE_THROUGH_WITH_DATA_PAGE;
  check_refused(run_shell(tool + " scaling ranks-1 ranks-2 --html ranks-1/run.json", sample_parent / "sample-scaling"),
                1, "mpisee-through: ranks-1/run.json: this file is part of the profile");
}
