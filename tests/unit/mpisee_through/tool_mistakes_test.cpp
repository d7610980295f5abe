// The errors of mpisee-through for faulty command lines, and its output for empty profiles.
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "support/run_tool.hpp"
#include "support/temporary_profile.hpp"

namespace {

void refused_for(std::string const& arguments, std::string const& message) {
  INFO(arguments);
  check_refused(run_tool(arguments, sample_parent), 2, "mpisee-through: " + message + " (--help explains)");
}

// Several profiles inside a directory that is not a profile.
class Directory {
 public:
  Directory() {
    std::filesystem::remove_all(directory_.path());
    std::filesystem::create_directory(directory_.path());
  }

  [[nodiscard]] std::filesystem::path const& path() const { return directory_.path(); }

  void add(std::string const& name, std::string const& more_of_run) const {
    TemporaryProfile const profile({.more_of_run = more_of_run});
    std::filesystem::copy(profile.path(), path() / name);
  }

  [[nodiscard]] ToolRun show(std::string const& arguments = ".") const { return run_tool(arguments, path()); }

 private:
  TemporaryProfile directory_;
};

}  // namespace

TEST_CASE("an unknown option is called by the name of the nearest one") {
  refused_for("--operation sample", "there is no option --operation; did you mean --operations?");
  refused_for("--operation", "there is no option --operation; did you mean --operations?");
  refused_for("--mat sample", "there is no option --mat; did you mean --matrix?");
  refused_for("--sort=time --rnak=3 sample", "there is no option --rnak; did you mean --rank?");
  refused_for("--top x --operation sample", "there is no option --operation; did you mean --operations?");
  refused_for("--xyzzy sample", "there is no option --xyzzy");
  refused_for("-q sample", "there is no option -q");
  refused_for("--with sample sample", "there is no option --with here, \"mpisee-through compare\" has it");
  check_refused(run_tool("compare --corelate a b c"), 2,
                "mpisee-through compare: there is no option --corelate; did you mean --correlate? (--help explains)");
  check_refused(run_tool("compare --tree a b"), 2,
                "mpisee-through compare: there is no option --tree here, \"mpisee-through\" has it (--help explains)");
  // Options for the build alone are not offered.
  refused_for("--bash-completio sample", "there is no option --bash-completio");
}

TEST_CASE("an option of the published mpisee-through gets ours") {
  struct Case {
    char const* arguments;
    char const* option;
    char const* ours;
  };
  for (Case const& one : {Case{"-i mpisee.db", "-i", "PROFILE alone"},
                          {"--inputdb mpisee.db", "--inputdb", "PROFILE alone"},
                          {"--all sample", "--all", "--ranks, or operations.csv itself"},
                          {"-p sample", "-p", "--operations --kind p2p"},
                          {"-c sample", "-c", "--operations --kind collective"},
                          {"-r 0,1 sample", "-r", "--rank LIST"},
                          {"--buffsize 0:1024 sample", "--buffsize", "--size MIN-MAX"},
                          {"-t 0:1 sample", "-t", "--operations --time MIN-MAX"},
                          {"-s 2 sample", "-s", "--operations --sort KEY"},
                          {"-o a.csv sample", "-o", "--csv >FILE"},
                          {"--exectime sample", "--exectime", "--ranks"},
                          {"-u sample", "-u", "--communicators"}})
    refused_for(one.arguments, std::string("there is no option ") + one.option +
                                   "; the published mpisee-through has it, here it is " + one.ours);
  refused_for("--ranks 0 sample", "--ranks: is a view and takes no ranks; to select some: --rank 0");
  refused_for("sample --ranks 0,2-3", "--ranks: is a view and takes no ranks; to select some: --rank 0,2-3");
  CHECK(run_tool("--ranks sample", sample_parent).exit_code == 0);
}

TEST_CASE("a profile can have a number for a name") {
  Directory const directory;
  directory.add("0", "");
  CHECK(directory.show("--ranks 0").exit_code == 0);
}

TEST_CASE("an unknown command is called by the name of the one that does it") {
  auto const meant = [](std::string const& word, std::string const& command) {
    refused_for(word + " sample",
                word + " is neither a profile nor a command; did you mean \"mpisee-through " + command + "\"?");
  };
  meant("diff", "compare");
  meant("compair", "compare");
  meant("html", "report");
  meant("repotr", "report");
  meant("watch", "now --watch");
  meant("ranks", "--ranks");
  meant("help", "--help");
  meant("show", "PROFILE");
  check_refused(run_tool("nothing"), 1, "mpisee-through: nothing: No such file or directory");
  check_refused(run_tool("./diff"), 1, "mpisee-through: ./diff: No such file or directory");
}

TEST_CASE("a profile may be called like a command") {
  Directory const directory;
  directory.add("diff", "");
  CHECK(directory.show("diff").exit_code == 0);
}

TEST_CASE("a directory that holds profiles lists them, the latest first") {
  Directory const directory;
  directory.add("older", R"(, "start": "2026-11-20T09:00:00.000Z", "arguments": ["-n", "two words"])");
  directory.add("newer", R"(, "start": "2026-11-21T09:00:00.000Z")");
  directory.add("undated", "");
  std::filesystem::create_directory(directory.path() / "other");
  std::filesystem::create_directories(directory.path() / "killed" / "spool");
  TemporaryProfile const files;
  std::filesystem::copy(files.file("run.json"), directory.path() / "killed" / "spool" / "0.spool");
  std::filesystem::create_directory(directory.path() / "broken");
  std::filesystem::copy(files.file("ranks.csv"), directory.path() / "broken" / "run.json");
  check_refused(directory.show(), 1,
                "mpisee-through: .: not a profile, but a directory with profiles:\n"
                "  ./newer    2026-11-21T09:00:00.000Z  a.out\n"
                "  ./older    2026-11-20T09:00:00.000Z  a.out -n 'two words'\n"
                "  ./broken                             damaged\n"
                "  ./killed                             unfinished\n"
                "  ./undated                            a.out");
  CHECK(directory.show("compare . newer").err == directory.show().err);
  CHECK(directory.show("report .").exit_code == 1);
}

TEST_CASE("a list of many profiles ends") {
  Directory const directory;
  for (int i = 0; i < 23; ++i) directory.add("run-" + std::to_string(i), "");
  std::string const err = directory.show().err;
  CHECK(std::count(err.begin(), err.end(), '\n') == 1 + 20 + 1);
  CHECK(contains(err, "\n  and 3 more\n"));
}

TEST_CASE("a directory without any profile is called that") {
  Directory const directory;
  check_refused(directory.show(), 1,
                "mpisee-through: .: not a profile, and contains none: no run.json, no spool files");
  // A profile that has lost a file is still a profile.
  TemporaryProfile const profile;
  profile.remove("run.json");
  CHECK(contains(run_tool(profile.path().string()).err, "/run.json: No such file or directory\n"));
}

TEST_CASE("operations and kinds can be a list") {
  auto const answer = [](std::string const& options) {
    ToolRun const run = run_tool("--operations --csv " + options + " sample", sample_parent);
    CHECK(run.err.empty());
    return run.out;
  };
  std::string const expected = answer("--op Send --op Recv");
  CHECK(contains(expected, ",Send,"));
  CHECK(contains(expected, ",Recv,"));
  CHECK_FALSE(contains(expected, ",Bcast,"));
  CHECK(answer("--op send,recv") == expected);
  CHECK(answer("--op MPI_Send,mpi_RECV") == expected);
  CHECK(answer("--kind p2p,collective") == answer("--kind p2p --kind collective"));
  check_refused(run_tool("--op send,sned sample", sample_parent), 1,
                "mpisee-through: --op: no operation of the profile matches \"sned\"");
}

TEST_CASE("communicators that exist from the start can be called as MPI calls them") {
  TemporaryProfile const files(
      {.operations = {"main,SELF,1,0,Send,8,15,1,8,0,0.5,0.5,0.5", "main,W,2,0,Recv,8,15,1,0,8,0.5,0.5,0.5"}});
  auto const answer = [&](std::string const& comm) {
    return run_tool("--operations --csv --comm " + comm + " '" + files.path().string() + "'").out;
  };
  CHECK(contains(answer("W"), ",Recv,"));
  CHECK(answer("MPI_COMM_WORLD") == answer("W"));
  CHECK(contains(answer("SELF"), ",Send,"));
  CHECK(answer("MPI_COMM_SELF") == answer("SELF"));
  CHECK(answer("MPI_COMM_NULL").empty());
  CHECK(answer("''").empty());
}

TEST_CASE("a program without MPI calls is called that") {
  TemporaryProfile const files;
  std::string const path = "'" + files.path().string() + "'";
  for (std::string const options : {"", "--operations "}) {
    std::string const out = run_tool(options + path).out;
    CHECK(contains(out, "\nNo MPI call was counted between MPI_Init and MPI_Finalize: the program made none"));
    CHECK_FALSE(contains(out, "indings"));
  }
  CHECK(contains(run_tool("compare " + path + " " + path).out, "\nNo MPI call was counted between "));
  // If calls were excluded, it is unknown whether there were any.
  TemporaryProfile const left_out(
      {.more_of_run = R"(, "left_out": {"operations": {"only": ["Send"], "without": []}, "communicators": null})"});
  CHECK(contains(run_tool("'" + left_out.path().string() + "'").out, "\nNo calls in this selection.\n"));
}
