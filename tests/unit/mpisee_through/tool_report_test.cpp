// Runs mpisee-through report. tests/report tests the page in a browser.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "support/run_tool.hpp"
#include "support/temporary_profile.hpp"

TEST_CASE("a tool without the page says so") {
  TemporaryProfile const files;
  std::string const tool = MPISEE_THROUGH_WITHOUT_PAGE;
  check_refused(run_shell(tool + " report '" + files.path().string() + "' -o out.html", files.path()), 1,
                "mpisee-through: this mpisee-through was built without the page: configure with -DCOMMPROF_REPORT=ON");
  CHECK(!std::filesystem::exists(files.file("out.html")));
  check_refused(run_shell(tool + " --html --operations '" + files.path().string() + "'"), 1,
                "mpisee-through: this mpisee-through was built without the page: configure with -DCOMMPROF_REPORT=ON");
  CHECK(run_shell(tool + " '" + files.path().string() + "'").exit_code == 0);
}

TEST_CASE("a wrong command line of report gets one line and exit code 2") {
  auto const refused = [](std::string const& options, std::string const& message) {
    check_refused(run_tool("report " + options), 2, "mpisee-through report: " + message + " (--help explains)");
  };
  refused("", "PROFILE is required");
  refused("x y", "The following argument was not expected: y");
  refused("x -o", "--output: 1 required FILE missing");
}

TEST_CASE("report explains itself") {
  ToolRun const help = run_tool("report --help");
  CHECK(help.exit_code == 0);
  for (char const* word : {"PROFILE", "--output"}) CHECK(help.out.find(word) != std::string::npos);
}

TEST_CASE("a profile that is called like a command is read by its path") {
  TemporaryProfile const files;
  std::filesystem::create_directory(files.path() / "report");
  for (auto const& entry : std::filesystem::directory_iterator(files.path())) {
    if (entry.is_regular_file()) std::filesystem::copy(entry.path(), files.path() / "report");
  }
  CHECK(run_tool("./report", files.path()).exit_code == 0);
}

#if MPISEE_THROUGH_HAS_PAGE
TEST_CASE("the page is one file that names no other") {
  TemporaryProfile const files;
  ToolRun const run = run_tool("report .", files.path());
  CHECK(run.exit_code == 0);
  CHECK(run.out.empty());
  CHECK(run.err.empty());
  std::string const page = files.read("report.html");
  CHECK(page.rfind("<!doctype html>", 0) == 0);
  CHECK(page.substr(page.size() - 16) == "</body>\n</html>\n");
  CHECK(page.find("{{") == std::string::npos);  // no placeholder is left
  CHECK(page.find("\"program\":\"a.out\"") != std::string::npos);
  CHECK(page.find("Apache License") != std::string::npos);
  CHECK(run_tool("--ranks --html .", files.path()).out.find("Apache License") == std::string::npos);
  for (char const* loading : {" src=", "<link", "@import", "url("}) CHECK(page.find(loading) == std::string::npos);
}

TEST_CASE("the page of the first view is the report") {
  TemporaryProfile const files;
  REQUIRE(run_tool("report .", files.path()).exit_code == 0);
  CHECK(run_tool("--html .", files.path()).out == files.read("report.html"));
  check_refused(run_tool("--html . .", files.path()), 2,
                "mpisee-through: --html: takes one PROFILE without a view (--help explains)");
}

TEST_CASE("a report that cannot be written is an error") {
  TemporaryProfile const files;
  auto const run = [&](std::string const& output) { return run_tool("report . -o " + output, files.path()); };
  check_refused(run("none/r.html"), 1, "mpisee-through: none/r.html: No such file or directory");
  check_refused(run("./ranks.csv"), 1, "mpisee-through: ./ranks.csv: this file is part of the profile");
  check_refused(run("''"), 2, "mpisee-through report: --output: \"\" is no name of a file (--help explains)");
  CHECK(run("/dev/full").exit_code == 1);
  files.replace("ranks.csv", "1,host,1,0,1,10,2\n", "");
  check_refused(run("r.html"), 1, "mpisee-through: ./ranks.csv:2: cut off after 1 of 2 rows");
  CHECK(!std::filesystem::exists(files.file("r.html")));
}
#endif
